package example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A world of its own on the mock that {@code moot exec} started. It ends with its test. */
public final class Sandbox implements AutoCloseable, ExtensionContext.Store.CloseableResource {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final String ADMIN = System.getenv("MOOT_ADMIN_URL");

    public final String baseUrl;
    private final String id;
    private final String control;
    private final String client;
    private final String secret;

    public Sandbox() throws IOException, InterruptedException {
        String made = control("POST", ADMIN + "/sandboxes", "{\"clock\": \"frozen\"}");
        id = member(made, "id");
        baseUrl = member(made, "base_url");
        control = member(made, "admin_url");
        client = member(made, "client_id");
        secret = member(made, "client_secret");
    }

    /** A token for reading and writing. */
    public String token() throws IOException, InterruptedException {
        String form = "grant_type=client_credentials&scope=read+write&client_id=" + client + "&client_secret=" + secret;
        HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl + "/oauth/token"))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString(form)).build();
        return member(send(request).body(), "access_token");
    }

    public HttpResponse<String> get(String path, String token) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(baseUrl + path)).header("Authorization", "Bearer " + token).build());
    }

    /** Moves the clock of this sandbox alone. */
    public void advance(long seconds) throws IOException, InterruptedException {
        control("POST", control + "/clock", "{\"advance_seconds\": " + seconds + "}");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        control("DELETE", ADMIN + "/sandboxes/" + id, "");
    }

    private static String control(String method, String url, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        String token = System.getenv("MOOT_ADMIN_TOKEN");
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        HttpResponse<String> response = send(request.build());
        if (response.statusCode() >= 300) {
            throw new IOException(method + " " + url + ": " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    private static HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The first string member of this name. A real project uses its JSON library. */
    private static String member(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("no " + name + " in " + json);
        }
        return found.group(1);
    }

    /** Gives each test that asks for a {@link Sandbox} one of its own. */
    public static final class Extension implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
            return parameter.getParameter().getType() == Sandbox.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
            // At the end of a test JUnit closes the values in its store.
            return test.getStore(ExtensionContext.Namespace.create(Extension.class))
                    .getOrComputeIfAbsent("sandbox", key -> {
                        try {
                            return new Sandbox();
                        } catch (IOException | InterruptedException failure) {
                            throw new IllegalStateException(failure);
                        }
                    }, Sandbox.class);
        }
    }
}
