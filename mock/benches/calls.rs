//! The cost of a call in the core, in process and on one thread: `cargo bench -p moot-mock`.
//!
//! The limiter counts and never refuses. The reference is copying a response of the same length, which any
//! server has to do. Creations are measured by `examples/scale`: here they would fill the world.

use std::error::Error;
use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use criterion::Criterion;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, StatusCode};
use jiff::Timestamp;
use moot_fixtures::world;
use moot_mock::call::{Admission, Body, Call, Head};
use moot_mock::control::ControlAction;
use moot_mock::response::ResponseBody;
use moot_mock::settings::RateLimitMode;
use moot_mock::shell::settings;
use moot_mock::{Service, World};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let mut criterion = Criterion::default().configure_from_args();
    let mut client = Client::new()?;
    let (list, id) = client.first_page()?;
    let one = format!("/v1/requests/{id}");
    criterion.bench_function("reference: 25 rows, copied", |bench| {
        bench.iter(|| Bytes::copy_from_slice(black_box(&list)));
    });
    criterion.bench_function("list of 25", |bench| bench.iter(|| client.get("/v1/requests")));
    criterion.bench_function("get one", |bench| bench.iter(|| client.get(&one)));
    criterion.bench_function("token", |bench| bench.iter(|| client.token()));
    criterion.final_summary();
    Ok(())
}

struct Client {
    service: Service,
    now: Timestamp,
    headers: HeaderMap,
    form: HeaderMap,
}

impl Client {
    fn new() -> Result<Self, Failure> {
        let bench = Arc::new(world::named("bench").ok_or("no such world")?.clone());
        let mut settings = settings::defaults("http://127.0.0.1:4010", bench);
        settings.rate_limit = RateLimitMode::Observe;
        let now = Timestamp::now();
        let mut client = Self {
            service: Service::new(World::new(settings)?),
            now,
            headers: HeaderMap::new(),
            form: HeaderMap::new(),
        };
        let media_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        client.form.insert(CONTENT_TYPE, media_type);
        client.renew()?;
        Ok(client)
    }

    /// Gets a new token.
    fn renew(&mut self) -> Result<(), Failure> {
        let client_id = "bench".to_owned();
        let ask = ControlAction::MintToken { client_id, scopes: None, age_seconds: 0 };
        let minted = self.service.control(self.now, ask).map_err(|_| "no token is minted")?;
        let token = minted["access_token"].as_str().ok_or("a token without its text")?;
        self.headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?);
        Ok(())
    }

    /// The bytes of the first page, and the id of its first request.
    fn first_page(&mut self) -> Result<(Bytes, String), Failure> {
        let page = self.get("/v1/requests");
        let read: serde_json::Value = serde_json::from_slice(&page)?;
        let id = read["data"][0]["id"].as_str().ok_or("a request without an id")?;
        let id = id.to_owned();
        Ok((page, id))
    }

    fn get(&mut self, path: &str) -> Bytes {
        self.send(&Method::GET, path, Body::Empty)
    }

    fn token(&mut self) -> Bytes {
        const FORM: &[u8] =
            b"grant_type=client_credentials&client_id=bench&client_secret=bench-secret&scope=read";
        std::mem::swap(&mut self.headers, &mut self.form);
        let body = Body::Whole(Bytes::from_static(FORM));
        let token = self.send(&Method::POST, "/oauth/token", body);
        std::mem::swap(&mut self.headers, &mut self.form);
        token
    }

    fn send(&mut self, method: &Method, path: &str, body: Body) -> Bytes {
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let head = Head { method, path, query: None, headers: &self.headers, client, wire: None };
        let response = match self.service.admit(self.now, &head) {
            Admission::Admitted(admitted) => {
                let call = Call { head, admitted: &admitted, body, fetched: None };
                self.service.answer(self.now, &call)
            }
            Admission::Refused(response, _) => response,
        };
        match (response.status, response.body) {
            (StatusCode::OK, ResponseBody::Bytes(bytes)) => bytes,
            (status, _) => panic!("{method} {path} answered {status}"),
        }
    }
}
