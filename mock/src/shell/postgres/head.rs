//! The statements on the row of `moot_head`, which names the node that may write.

use tokio_postgres::types::Type;

use super::connection::{DatabaseConnection, SqlParameter};
use super::error::PostgresError;
use super::lease::{HeadRow, LeaseOrder, LeaseOutcome};

const LOOK: &str = "select epoch, holder, address, renewals, seq, digest from moot_head";
const TAKE: &str = "update moot_head set epoch = $5, holder = $3, address = $4, \
                    renewals = renewals + 1 where epoch = $1 and renewals = $2 returning epoch";
const RENEW: &str = "update moot_head set renewals = renewals + 1 \
                     where epoch = $1 and holder = $2 returning epoch";
const RESIGN: &str = "update moot_head set holder = null, renewals = renewals + 1 \
                      where epoch = $1 and holder = $2 returning epoch";

/// Runs a statement of the lease for a node.
///
/// # Errors
/// The result is unknown: [`LeaseOutcome::Failed`].
pub(crate) async fn ask(
    connection: &DatabaseConnection,
    order: LeaseOrder,
    holder: &[u8; 16],
    address: &str,
) -> Result<LeaseOutcome, PostgresError> {
    let holder = &holder[..];
    let rows = match order {
        LeaseOrder::Look => {
            let rows = connection.query(LOOK, &[]).await?;
            let Some(row) = rows.first() else {
                return Err(PostgresError::Statement("`moot_head` has no row".to_owned()));
            };
            return Ok(LeaseOutcome::Row(HeadRow {
                epoch: row.get::<_, i64>(0).cast_unsigned(),
                holder: row.get::<_, Option<&[u8]>>(1).and_then(|it| it.try_into().ok()),
                address: row.get(2),
                renewals: row.get::<_, i64>(3).cast_unsigned(),
                seq: row.get::<_, i64>(4).cast_unsigned(),
                digest: row.get(5),
            }));
        }
        LeaseOrder::Take { epoch, renewals, next } => {
            let [epoch, renewals, next] = [epoch, renewals, next].map(u64::cast_signed);
            let parameters: &[SqlParameter<'_>] = &[
                (&epoch, Type::INT8),
                (&renewals, Type::INT8),
                (&holder, Type::BYTEA),
                (&address, Type::TEXT),
                (&next, Type::INT8),
            ];
            connection.query(TAKE, parameters).await?
        }
        LeaseOrder::Renew { epoch } | LeaseOrder::Resign { epoch } => {
            let statement = if matches!(order, LeaseOrder::Renew { .. }) { RENEW } else { RESIGN };
            let epoch = epoch.cast_signed();
            connection.query(statement, &[(&epoch, Type::INT8), (&holder, Type::BYTEA)]).await?
        }
    };
    Ok(if rows.is_empty() { LeaseOutcome::Refused } else { LeaseOutcome::Done })
}
