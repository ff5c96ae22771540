//! Fetches documents by their public https address (§4.9), if the mock may do so.
//!
//! Every redirect is checked like the first address. There are limits on bytes, time, redirects and concurrent
//! fetches. The core decides whether the document is accepted.

use std::sync::OnceLock;
use std::time::Duration;

use http::header::{CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::sync::Semaphore;

use super::connect::{AllowedAddresses, Network, reason};
use crate::shell::body::{Spool, Store};
use crate::value::address;
use crate::value::message::call::{Fetch, FetchFault, FetchedDocument};
use crate::value::message::content::Content;

/// The longest time for a fetch with all its redirects.
pub const FETCH_TIME_MAX: Duration = Duration::from_secs(10);
/// The largest number of redirects that are followed.
const REDIRECTS_MAX: usize = 5;
/// The largest number of concurrent fetches. Further ones wait, and the wait counts towards their time.
const FETCHES_MAX: usize = 32;

/// Fetches documents. Creating a fetcher opens no connection.
#[derive(Debug)]
pub struct Fetcher {
    network: Network,
    time_max: Duration,
    client: OnceLock<Result<Client, String>>,
    turns: Semaphore,
}

impl Fetcher {
    /// A fetcher that takes at most `time_max` for each document, normally [`FETCH_TIME_MAX`].
    pub fn new(network: Network, time_max: Duration) -> Self {
        Self { network, time_max, client: OnceLock::new(), turns: Semaphore::new(FETCHES_MAX) }
    }

    /// Fetches a document into `store`.
    pub(crate) async fn fetch(
        &self,
        fetch: Fetch,
        store: &Store,
    ) -> Result<FetchedDocument, FetchFault> {
        let fetched = tokio::time::timeout(self.time_max, self.in_turn(fetch, store)).await;
        fetched.unwrap_or_else(|_| {
            let seconds = self.time_max.as_secs_f64();
            Err(FetchFault::failed(format!("it was not received within {seconds} s")))
        })
    }

    async fn in_turn(&self, fetch: Fetch, store: &Store) -> Result<FetchedDocument, FetchFault> {
        // The semaphore is never closed, so `acquire` does not fail.
        let _turn = self.turns.acquire().await;
        let response = self.follow(fetch.url).await?;
        if response.status() != StatusCode::OK {
            return Err(FetchFault::failed(format!("it answers {}", response.status().as_u16())));
        }
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let content = self.read(response, fetch.bytes_max, store).await?;
        Ok(FetchedDocument { content, content_type })
    }

    /// Follows redirects, and returns the first other response.
    async fn follow(&self, mut url: Url) -> Result<Response, FetchFault> {
        let client = self
            .client
            .get_or_init(|| self.network.client(AllowedAddresses::Public, self.time_max));
        let client = client.as_ref().map_err(|why| FetchFault::failed(why.clone()))?;
        for _ in 0..=REDIRECTS_MAX {
            let response =
                client.get(url.clone()).send().await.map_err(|error| self.fault(&error))?;
            if !is_redirect(response.status()) {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            url = next(&url, location)?;
        }
        Err(FetchFault::failed(format!("it redirects more than {REDIRECTS_MAX} times")))
    }

    async fn read(
        &self,
        mut response: Response,
        bytes_max: u64,
        store: &Store,
    ) -> Result<Content, FetchFault> {
        if response.content_length().is_some_and(|length| length > bytes_max) {
            return Err(FetchFault::TooLarge);
        }
        let unstored = |_| FetchFault::failed("it cannot be stored");
        let mut spool = Spool::new(store);
        while let Some(piece) = response.chunk().await.map_err(|error| self.fault(&error))? {
            if spool.length() + piece.len() as u64 > bytes_max {
                return Err(FetchFault::TooLarge);
            }
            spool.write(&piece).map_err(unstored)?;
        }
        spool.finish().map_err(unstored)
    }

    fn fault(&self, error: &reqwest::Error) -> FetchFault {
        FetchFault::failed(reason(error, self.time_max))
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The target of a redirect. It must be an address that the client could have given itself.
fn next(url: &Url, location: Option<&str>) -> Result<Url, FetchFault> {
    let location = location.ok_or_else(|| FetchFault::failed("it redirects without an address"))?;
    let next =
        url.join(location).map_err(|_| FetchFault::failed("it redirects to an invalid address"))?;
    let refused = |why: &dyn std::fmt::Display| {
        FetchFault::failed(format!("it redirects to an address that {why}"))
    };
    let next = address::public_https(next.as_str()).map_err(|fault| refused(&fault))?;
    if address::is_reserved(&next) {
        return Err(refused(&"is reserved for examples and tests"));
    }
    Ok(next)
}
