import type { Authorizations } from '../../../drive/mcp/authorization/authorizations.ts';
import type { ServerDefinition } from '../../../drive/mcp/server-definition.ts';
import type { Redact } from '../../../shared/redaction/redaction.ts';

/** The server of a session by hand, and how it is reached. */
export interface SessionSettings {
  readonly id: string;
  readonly definition: ServerDefinition;
  readonly label: string;
  /** The scenario file that names the server; undefined for one that was typed. */
  readonly file: string | undefined;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clientVersion: string;
  readonly redact: Redact;
  readonly authorizations: Authorizations;
  /** The clock that idle sessions are found by. */
  now(): number;
}
