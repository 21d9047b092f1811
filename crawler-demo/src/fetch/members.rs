//! Finds the end of a gzip stream.
//!
//! A stream may have several members, one after the other (RFC 1952, section 2.2). Some servers write something else after the
//! last one, such as a line that a script prints when the page is already packed. Browsers show the page and ignore that, and so
//! does this reader.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use async_compression::tokio::bufread::GzipDecoder;
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

/// The first octet of a member.
const FIRST: u8 = 0x1f;

/// What all members of a gzip stream hold.
pub(super) struct Members<R> {
    /// `None` behind the last one.
    member: Option<GzipDecoder<R>>,
}

impl<R: AsyncBufRead + Unpin> Members<R> {
    pub(super) fn of(packed: R) -> Self {
        Self {
            member: Some(GzipDecoder::new(packed)),
        }
    }
}

impl<R: AsyncBufRead + Unpin> AsyncRead for Members<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        while let Some(member) = &mut self.member {
            ready!(Pin::new(&mut *member).poll_read(context, into))?;
            if into.filled().len() > before || into.remaining() == 0 {
                break;
            }
            // Its end. What follows, if anything does?
            let next = ready!(Pin::new(member.get_mut()).poll_fill_buf(context))?;
            let goes_on = next.first() == Some(&FIRST);
            let member = self.member.take();
            self.member =
                (member.filter(|_| goes_on)).map(|ended| GzipDecoder::new(ended.into_inner()));
        }
        Poll::Ready(Ok(()))
    }
}
