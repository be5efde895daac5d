/** A Postgres server of our own. */
export interface StartedPostgres extends AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  /** The address of a database on it. */
  url(database?: string): string;
  /** Ends the server at once, as a crash would, or lets it end in order. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts it again where it was stopped. */
  start(): Promise<void>;
}

export function startPostgres(bin: string, settings?: readonly string[]): Promise<StartedPostgres>;
