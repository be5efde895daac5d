/** Makes a value on first use and returns the same one ever after. */
export function once<Result>(make: () => Promise<Result>): () => Promise<Result> {
  let made: Promise<Result> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The promise's own end, or a rejection with the reason of the signal as soon as it is aborted. */
export function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Runs `work` on the items of an async sequence, at most `limit` at a time, pulling the next item only when there is
 * room for it, so the sequence may be endless. The first rejection stops the pulling and is thrown when all
 * work in flight has settled; a sequence that was not read to its end is closed.
 */
export async function pullConcurrently<Item>(
  items: AsyncIterator<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  const pullUntilFailure = async (): Promise<void> => {
    try {
      while (!failure) {
        const next = await items.next();
        if (next.done || failure) return;
        await work(next.value);
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all(Array.from({ length: limit }, pullUntilFailure));
  if (!failure) return;
  await items.return?.();
  throw failure.error;
}
