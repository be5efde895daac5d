import type * as z from 'zod';
import type { Report } from '../../domain/capability.ts';
import type { Message, TokenUsage } from '../../domain/message.ts';
import { withLazySchema } from '../../shared/lazy-schema.ts';
import type { ConfigIssue, TargetContext } from '../targets/target.ts';

/** One answer of the agent under test, in the one shape that everybody downstream knows. */
export interface ConnectorResponse {
  /** Only what is new: messages of the assistant and of its tools. */
  readonly messages: readonly Message[];
  /** From sending the request to having read the whole answer. */
  readonly latencyMs: number;
  /** From sending the request to the first piece of text, where the answer came in pieces. */
  readonly timeToFirstTokenMs?: number | undefined;
  readonly tokenUsage?: TokenUsage | undefined;
  readonly costUsd?: number | undefined;
  /** What this answer tells beyond what its kind of connector always tells. */
  readonly reports?: readonly Report[] | undefined;
  /** The model as the endpoint named it. */
  readonly model?: string | undefined;
  /** The thread that the endpoint keeps for the conversation, where it has one. */
  readonly threadId?: string | undefined;
  /** The exchange as it was, bounded, for the trace; keys and headers with secrets are not in it. */
  readonly raw?: { readonly request: unknown; readonly response: unknown } | undefined;
}

/** What a connector is asked in one turn. */
export interface ConnectorRequest {
  /** The whole conversation so far, without system messages of ours, ending with what the user said. */
  readonly messages: readonly Message[];
  /** How many of them, from the start, the endpoint has seen in this conversation already. */
  readonly seenCount: number;
  /** Stable for the conversation, and new for each. */
  readonly conversationId: string;
  /** From 1. */
  readonly turn: number;
  /** Of the persona; they come over those of the connector. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the variant, where a scenario is tried with several models. */
  readonly model: string | undefined;
  readonly signal: AbortSignal;
}

/** An open connection to an agent under test; serves many conversations at once. */
export interface Connector extends AsyncDisposable {
  /** True when each turn counts in the account of the run already. */
  readonly isPaidThroughAccount?: true;
  /**
   * One turn. An answer that says something is wrong is an answer; what keeps the agent from answering is thrown as an
   * AssayError with a TARGET_ code: unreachable, timed out, status 4xx or 5xx, no JSON, a shape that holds no message.
   */
  invoke(request: ConnectorRequest): Promise<ConnectorResponse>;
}

/** What a scenario, a config file or the command line says of a connector. */
export interface ConnectorSettings {
  readonly baseUrl: string | undefined;
  /** Expanded. */
  readonly headers: Readonly<Record<string, string>>;
}

interface ConnectorDescription {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  /** What its answers tell where there is something to tell; the author of a scenario may know of more. */
  readonly reports?: readonly Report[] | undefined;
}

/** A kind of connector as the lists see it. */
export interface ConnectorKind extends ConnectorDescription {
  readonly configSchema: z.ZodType;
  /** Looks at what a config names, before anything is run. */
  check?(config: unknown, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  /** `config` has passed `configSchema`. */
  open(config: unknown, settings: ConnectorSettings, context: TargetContext): Promise<Connector>;
}

interface ConnectorDefinition<Schema extends z.ZodType> extends ConnectorDescription {
  /** A function is called when somebody asks. */
  readonly configSchema: Schema | (() => Schema);
  check?(config: z.output<Schema>, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  open(config: z.output<Schema>, settings: ConnectorSettings, context: TargetContext): Promise<Connector>;
}

/** Ties the config schema of a connector to the code that receives the config. */
export function defineConnector<Schema extends z.ZodType>(definition: ConnectorDefinition<Schema>): ConnectorKind {
  return withLazySchema(definition) as unknown as ConnectorKind;
}
