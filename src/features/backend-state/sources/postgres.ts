import type { StateRow } from '../../../domain/state-change.ts';
import type { Snapshot } from '../read-state.ts';
import { withoutMargin } from './numbers.ts';

/** Type identifiers of Postgres: whole numbers and decimals, whose digits a double may lose. */
const [int8, numeric] = [20, 1_700];
const parsedTypes: ReadonlySet<number> = new Set([16, 21, 23, 700, 701, 114, 3_802]);

/** The rows of a query, in a transaction that cannot write. */
export async function readPostgres(address: string, query: string, signal: AbortSignal): Promise<Snapshot> {
  const { default: pg } = await import('pg');
  const asText = (text: string): string => text;
  const types = {
    getTypeParser: (id: number, format?: 'text') => {
      if (id === int8 || id === numeric) return withoutMargin;
      return parsedTypes.has(id) ? pg.types.getTypeParser(id, format) : asText;
    },
  };
  const client = new pg.Client({ connectionString: address, application_name: 'assay', types: types as never });
  // A connection that breaks shows in the query.
  client.on('error', () => undefined);
  const stop = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    await client.query('begin transaction read only');
    const { rows } = await client.query<StateRow>(query);
    return { rows };
  } finally {
    signal.removeEventListener('abort', stop);
    await client.end().catch(() => undefined);
  }
}
