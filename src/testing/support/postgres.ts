import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { findPostgres } from '../../../scripts/find-postgres.mjs';
import { type StartedPostgres, startPostgres } from '../../../scripts/start-postgres.mjs';

const bin = findPostgres();

/** False where no Postgres server can be started; suites that need one are skipped there. */
export const hasPostgres = bin !== undefined;

/** Quick, and good for all that is not about power cuts. */
const carelessSettings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200'];

/** A server for the tests of a file; started before the first of them and ended after the last. */
export class TestPostgres {
  #server: StartedPostgres | undefined;

  get server(): StartedPostgres {
    if (!this.#server) throw new Error('The Postgres server is not started yet.');
    return this.#server;
  }

  /** Makes an empty database and gives its address. */
  async newDatabase(): Promise<string> {
    const name = `assay_${randomBytes(6).toString('hex')}`;
    await this.query(this.server.url(), `create database ${name}`);
    return this.server.url(name);
  }

  /** Makes an empty schema in the first database and gives the address of a store in it; quicker than a database. */
  async newSchema(): Promise<string> {
    const name = `assay_${randomBytes(6).toString('hex')}`;
    await this.query(this.server.url(), `create schema ${name}`);
    return `${this.server.url()}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  /** Queries a database on a separate connection. */
  async query(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async start(settings: readonly string[]): Promise<void> {
    if (bin !== undefined) this.#server = await startPostgres(bin, settings);
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }
}

/** The server of a test file or suite. */
export function usePostgres(settings: readonly string[] = carelessSettings): TestPostgres {
  const postgres = new TestPostgres();
  beforeAll(() => postgres.start(settings));
  afterAll(() => postgres.stop());
  return postgres;
}
