//! Calls with the defaults of reqwest, for `examples/http-libraries/measure.py`.

use std::error::Error;

use reqwest::Client;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // The build has no default TLS provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["version"] => println!("0.13"),
        ["get", url] => drop(get(&Client::new(), url).await?),
        ["post", url] => post(&Client::new(), url).await?,
        // `reqwest::get` creates a client for each call.
        ["three", url] => {
            for _ in 0..3 {
                get(&Client::new(), url).await?;
            }
        }
        ["again", url] => {
            let client = Client::new();
            for _ in 0..2 {
                post(&client, url).await?;
            }
        }
        ["session", url] => {
            let client = Client::new();
            for _ in 0..3 {
                get(&client, url).await?;
            }
        }
        _ => {
            return Err(
                "usage: version | get URL | post URL | three URL | again URL | session URL".into(),
            );
        }
    }
    Ok(())
}

async fn get(client: &Client, url: &str) -> Result<(), reqwest::Error> {
    client.get(url).bearer_auth("secret").send().await?.bytes().await.map(drop)
}

async fn post(client: &Client, url: &str) -> Result<(), reqwest::Error> {
    let call = client.post(url).bearer_auth("secret").form(&[("a", "b")]);
    call.send().await?.bytes().await.map(drop)
}
