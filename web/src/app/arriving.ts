/** Longer than this nobody waits for data before something is drawn. */
const patienceMs = 400;

/**
 * What a page waits for when it is opened: a page whose data comes at once is drawn once, with its data, instead of first
 * without. Resolves when all is there, failed, or takes too long; at once where a page that is open already only shows
 * something else.
 */
export async function arriving(
  cause: 'enter' | 'stay' | 'preload',
  ...asked: readonly Promise<unknown>[]
): Promise<void> {
  if (cause === 'stay') return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([Promise.allSettled(asked), tooLong]);
  clearTimeout(timer);
}
