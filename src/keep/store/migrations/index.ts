import { initial } from './0001-initial.ts';
import type { Migration } from './migration.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [initial];
