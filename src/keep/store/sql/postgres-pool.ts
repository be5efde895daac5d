import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type { ClientBase, CustomTypesConfig, Pool, PoolClient } from 'pg';
import { contentKey } from '../../../shared/ids.ts';

const connections = 10;
const connectTimeoutMs = 10_000;
const queryTimeoutMs = 120_000;
/** A machine that stands still in the middle of a transaction must not make all others wait. */
const idleTransactionMs = 15_000;
const namedStatements = 200;

/** Connections to a database; idle connections that break are replaced silently. */
export async function openPool(url: string): Promise<Pool> {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: withUsualTls(url),
    application_name: 'assay',
    max: connections,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
    idle_in_transaction_session_timeout: idleTransactionMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    allowExitOnIdle: true,
    types: withNumbers(pg.types),
    onConnect: commitDurably,
  });
  pool.on('error', () => undefined);
  return pool;
}

/** `sslmode` as Postgres' own programs understand it, so an address that works there works here. */
function withUsualTls(url: string): string {
  return /[?&]sslmode=/.test(url) && !/[?&]uselibpqcompat=/.test(url) ? `${url}&uselibpqcompat=true` : url;
}

/** A commit that was acknowledged survives a crash, also where the server is set up to be careless by default. */
async function commitDurably(client: ClientBase): Promise<void> {
  await client.query(
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
  );
}

/** Wide integers and sums as numbers: ours are far below where those lose digits. */
function withNumbers(usual: CustomTypesConfig): CustomTypesConfig {
  const [int8, numeric] = [20, 1700];
  return {
    getTypeParser: (id, format) => (id === int8 || id === numeric ? Number : usual.getTypeParser(id, format)),
  };
}

/**
 * The pool as Kysely sees it. Statements have names, so the server reads and plans each of them once for a
 * connection; a connection on which something broke is thrown away.
 */
export function namedStatementsPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>();
  const wrapped = new WeakMap<PoolClient, PostgresPoolClient>();
  return {
    connect: async () => {
      const client = await pool.connect();
      const existing = wrapped.get(client) ?? namedStatementsClient(client, names);
      wrapped.set(client, existing);
      return existing;
    },
    end: () => pool.end(),
  };
}

function namedStatementsClient(client: PoolClient, names: Map<string, string>): PostgresPoolClient {
  let isBroken = false;
  client.on('error', () => {
    isBroken = true;
  });
  const query = async (text: string, given: readonly unknown[]) => {
    const name = nameOf(text, names);
    const values = given.map(withoutNul);
    try {
      return await client.query({ text, values, ...(name !== undefined && { name }) });
    } catch (error) {
      isBroken ||= isOverFor(error);
      throw error;
    }
  };
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) };
}

/** Errors that the server reports have a code of five characters, and most leave the connection as it was. */
function isOverFor(error: unknown): boolean {
  const code = String((error as { code?: unknown }).code);
  // Statements that were named before a migration cannot be used after it.
  const isNamedBeforeMigration = code === '0A000';
  return isNamedBeforeMigration || !/^[0-9A-Z]{5}$/.test(code);
}

function nameOf(text: string, names: Map<string, string>): string | undefined {
  const existing = names.get(text);
  if (existing !== undefined || names.size >= namedStatements || !/^(select|insert|update|delete|with)/.test(text))
    return existing;
  const name = `assay_${contentKey([text])}`;
  names.set(text, name);
  return name;
}

/** Postgres keeps no NUL in texts, and so finds none: a text with one stands for what would have been stored. */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\u2400') : value;
}
