package example;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Run with: moot exec -- mvn -q -f examples/junit test */
@ExtendWith(Sandbox.Extension.class)
class SandboxTest {
    @Test
    void aTokenReadsWorkflows(Sandbox sandbox) throws Exception {
        assertEquals(200, sandbox.get("/v1/workflows", sandbox.token()).statusCode());
    }

    @Test
    void aTokenExpires(Sandbox sandbox) throws Exception {
        String token = sandbox.token();
        sandbox.advance(7200);
        assertEquals(401, sandbox.get("/v1/workflows", token).statusCode());
        assertEquals(200, sandbox.get("/v1/workflows", sandbox.token()).statusCode());
    }
}
