import type { Migration } from './migration.ts';

/** Changes no table: earlier programs cannot read the packs that are written from here on, and are to say so. */
export const brotliPacks: Migration = {
  id: 16,
  name: 'brotli-packs',
  up: async () => undefined,
};
