import type { IncomingMessage } from 'node:http';
import * as z from 'zod';

/**
 * Stand-ins for Langfuse, Braintrust and Phoenix. Each takes only the paths, headers and bodies of the service's public
 * API, and keeps what it keeps: by name, by id, or under an id of its own.
 */
interface StandIn {
  readonly env: Readonly<Record<string, string>>;
  /** What a user would see there, without ids that the service drew. */
  seen(): Seen;
}

export interface Seen {
  readonly dataset: readonly { readonly input: unknown; readonly expected: unknown; readonly case: unknown }[];
  /** Names of experiments. */
  readonly experiments: readonly string[];
  readonly runs: readonly SeenRun[];
}

export interface SeenRun {
  readonly case: unknown;
  readonly repeat: unknown;
  readonly output: unknown;
  readonly isError: boolean;
  readonly marks: unknown;
  readonly scores: Readonly<Record<string, number | null>>;
}

/** Thrown by a route: the service refuses the request. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What happens to a request: it is answered, refused without being done, or done without an answer. */
export type Fate = 'answer' | 'lose the answer' | number;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

type Route = (request: Request, parts: readonly string[]) => object;

export interface Service extends StandIn {
  readonly requests: readonly Request[];
  fate: (index: number, request: Request) => Fate;
}

export interface Model {
  readonly authorization: string | undefined;
  /** `METHOD /path/:part`. */
  readonly routes: Readonly<Record<string, Route>>;
  envOf(url: string): Readonly<Record<string, string>>;
  seen(): Seen;
}

export const metadata = z.record(z.string(), z.unknown());
export const time = z.iso.datetime();
