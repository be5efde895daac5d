/** Says that the program of a page could not be fetched: the server is away, or has another version by now. */
export class PageProgramMissing extends Error {
  override readonly name = 'PageProgramMissing';

  constructor(cause: unknown) {
    super('This page could not be loaded. The server may be away or renewed.', { cause });
  }
}

/**
 * Loads the program of a page. The router would reload the whole page where that fails, and so lose it while the server
 * is away; under a name of its own the failure is shown instead.
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
