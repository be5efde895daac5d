/**
 * Runs `work` on the items of an async sequence, at most `limit` at a time, pulling the next item only when there is
 * room for it, so that the sequence may be endless. The first rejection stops the pulling and is thrown when all
 * work in flight has settled.
 */
export async function pullConcurrently<Item>(
  items: AsyncIterator<Item>,
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let stopped = false;
  const puller = async (): Promise<void> => {
    while (!stopped) {
      const next = await items.next();
      if (next.done) return;
      await work(next.value);
    }
  };
  const pullers = Array.from({ length: limit }, async () => {
    try {
      await puller();
    } catch (error) {
      stopped = true;
      throw error;
    }
  });
  const failed = (await Promise.allSettled(pullers)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
