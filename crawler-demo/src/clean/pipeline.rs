//! Judges one stream on many threads, in order and in bounded memory.
//!
//! A fixed number of parcels circulates: reader, judges, writer, and back to the reader. If a parcel is late, the
//! others wait for it; memory does not grow.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use super::{Chunk, Chunks, Judge, Judged, Writer, judge::Bench};

/// Parcels per judging thread: one being judged, one waiting, one being read or written.
const PARCELS: usize = 3;

#[derive(Debug, Default)]
struct Parcel {
    number: u64,
    chunk: Chunk,
    judged: Judged,
}

pub(super) fn run<R: Read + Send>(
    judge: &Judge<'_>,
    threads: usize,
    chunks: &mut Chunks<R>,
    writer: &mut Writer<'_>,
) -> io::Result<()> {
    let (empty_in, empty_out) = channel::<Parcel>();
    let (full_in, full_out) = channel::<Parcel>();
    let (done_in, done_out) = channel::<io::Result<Parcel>>();
    for _ in 0..threads * PARCELS {
        let _ = empty_in.send(Parcel::default());
    }
    let full_out = Mutex::new(full_out);
    thread::scope(|scope| {
        let reader = scope.spawn(move || read(chunks, &empty_out, &full_in));
        for _ in 0..threads {
            let (full_out, done_in) = (&full_out, done_in.clone());
            scope.spawn(move || work(judge, full_out, &done_in));
        }
        drop(done_in);
        // When writing fails, `empty_in` goes, and with it reader and judges come to their ends.
        let written = write(writer, &done_out, empty_in);
        drop(done_out);
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the reading thread died")));
        written.and(read)
    })
}

fn read<R: Read>(
    chunks: &mut Chunks<R>,
    empty: &Receiver<Parcel>,
    full: &Sender<Parcel>,
) -> io::Result<()> {
    let mut number = 0;
    while let Ok(mut parcel) = empty.recv() {
        if !chunks.fill(&mut parcel.chunk)? {
            break;
        }
        parcel.number = number;
        number += 1;
        if full.send(parcel).is_err() {
            break;
        }
    }
    Ok(())
}

fn work(judge: &Judge<'_>, full: &Mutex<Receiver<Parcel>>, done: &Sender<io::Result<Parcel>>) {
    let mut bench = Bench::default();
    loop {
        // The lock guards who waits for the next parcel, nothing else.
        let parcel = full.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut parcel) = parcel else { return };
        // A parcel that never came back would make all others wait for it for ever.
        let judged = catch_unwind(AssertUnwindSafe(|| {
            judge.judge(&parcel.chunk, &mut bench, &mut parcel.judged);
        }));
        let died = judged.is_err();
        let answer = if died {
            Err(io::Error::other(format!(
                "judging the lines of chunk {} broke; this is a fault of the program, please report it",
                parcel.number
            )))
        } else {
            Ok(parcel)
        };
        if done.send(answer).is_err() || died {
            return;
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "dropping the sender is what stops the reader"
)]
fn write(
    writer: &mut Writer<'_>,
    done: &Receiver<io::Result<Parcel>>,
    empty: Sender<Parcel>,
) -> io::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Ok(parcel) = done.recv() {
        let parcel = parcel?;
        waiting.insert(parcel.number, parcel);
        while let Some(parcel) = waiting.remove(&next) {
            writer.write(&parcel.chunk, &parcel.judged)?;
            next += 1;
            // The reader may have come to its end already.
            let _ = empty.send(parcel);
        }
    }
    Ok(())
}
