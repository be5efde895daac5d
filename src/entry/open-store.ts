import { openStore as openAnyStore } from '../keep/store/open-store.ts';
import type { Store } from '../keep/store/store.ts';

export interface OpenStoreOptions {
  /** Called for problems that pass without help, such as a database that restarts. */
  warn?(message: string): void;
  /** Throws where there is no store yet, instead of creating one. */
  readonly mustExist?: boolean;
}

/** Opens the store that a URL names; paths are relative to `folder`. Its type names no database library. */
export function openStore(url: string, folder: string, options: OpenStoreOptions = {}): Promise<Store> {
  return openAnyStore(url, folder, options);
}
