/** Says that the program of a page could not be fetched: the server is away, or has another version by now. */
export class PageProgramMissing extends Error {
  override readonly name = 'PageProgramMissing';

  constructor(cause: unknown) {
    super('This page could not be loaded. The server may have stopped or been updated.', { cause });
  }
}

/**
 * Loads the program of a page. The router would reload the whole page where that fails, and so lose it while the server
 * is away; under its own name the failure is shown instead.
 */
export function loading<Program>(load: () => Promise<Program>): () => Promise<Program> {
  return async () => {
    try {
      return await load();
    } catch (error) {
      throw new PageProgramMissing(error);
    }
  };
}

/** After this long something is drawn without its data. */
const patienceMs = 400;

/**
 * Waits for the data of a page that is opened: a page whose data comes at once is drawn once, with its data, instead of first
 * without. Resolves when all is there, failed, or takes too long; at once where a page that is open already only shows
 * something else.
 */
export async function arriving(
  cause: 'enter' | 'stay' | 'preload',
  ...requests: readonly Promise<unknown>[]
): Promise<void> {
  if (cause === 'stay') return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([Promise.allSettled(requests), tooLong]);
  clearTimeout(timer);
}

/** The nonce that lets style elements of this page through its policy; undefined where there is no policy. */
export function cspNonce(): string | undefined {
  const content = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content');
  return content && !content.startsWith('__') ? content : undefined;
}
