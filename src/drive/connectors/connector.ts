import type * as z from 'zod';
import type { Approver } from '../../domain/approval-event.ts';
import type { Report } from '../../domain/capability.ts';
import type { Loss } from '../../domain/loss.ts';
import type { Message } from '../../domain/message.ts';
import type { EmitTrace } from '../../domain/trace.ts';
import type { Usage } from '../../domain/usage.ts';
import { withLazySchema } from '../../shared/lazy-schema.ts';
import type { AttachedFile } from '../attachments/attached-file.ts';
import type { ModelTool } from '../models/model.ts';
import type { BreakModel } from '../models/with-faults.ts';
import type { TrialClock } from '../pacing/clock.ts';
import type { ConfigIssue, TargetContext } from '../targets/target.ts';
import type { ToolStandIn } from './tool-loop/runnable-tool.ts';

/** One answer of the agent under test. */
export interface ConnectorResponse {
  /** Only what is new: messages of the assistant and of its tools. */
  readonly messages: readonly Message[];
  /** From sending the request to having read the whole answer. */
  readonly latencyMs: number;
  /** From sending the request to the first piece of text, where the answer came in pieces. */
  readonly timeToFirstTokenMs?: number | undefined;
  readonly usage?: Usage | undefined;
  readonly costUsd?: number | undefined;
  /** Facts that this answer reports beyond those that its kind of connector always reports. */
  readonly reports?: readonly Report[] | undefined;
  /** Parts of the answer that could not be placed. */
  readonly gaps?: readonly Loss[] | undefined;
  /** The model as the endpoint named it. */
  readonly model?: string | undefined;
  /** The thread that the endpoint keeps for the conversation, where it has one. */
  readonly threadId?: string | undefined;
  /** True when the messages, the exchange and the usage are in the trace already. */
  readonly isTraced?: true | undefined;
  /** The exchange for the trace, limited in length, without secrets. */
  readonly raw?: { readonly request: unknown; readonly response: unknown } | undefined;
}

/** One turn of a conversation. */
export interface ConnectorRequest {
  /** The whole conversation so far, without system messages of ours, ending with the user's message. */
  readonly messages: readonly Message[];
  /** The number of messages, from the start, that the endpoint has already received in this conversation. */
  readonly seenCount: number;
  /** Stable for the conversation, and new for each. */
  readonly conversationId: string;
  /** From 1. */
  readonly turn: number;
  /** Of the persona; they override those of the connector. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the variant, where a scenario is tried with several models. */
  readonly model: string | undefined;
  /** Tools that are offered to the model beside those of its config, and run here. */
  readonly tools?: readonly ModelTool[] | undefined;
  /** Files that attachments of the messages stand for. */
  readonly files?: readonly AttachedFile[] | undefined;
  /** Breaks requests to a model that Assay prompts itself; absent where the scenario breaks none. */
  readonly breakModel?: BreakModel | undefined;
  /** Stands in front of the tools that are run here; absent where nothing does. */
  readonly standIn?: ToolStandIn | undefined;
  /** Answers approval requests; absent where the scenario has no policy: they are then questions to the user. */
  readonly approver?: Approver | undefined;
  /** Records what happens during the turn, such as a retry; absent where nothing is recorded. */
  readonly emit?: EmitTrace | undefined;
  /** Stands still while a request waits for a rate limit. */
  readonly clock?: TrialClock | undefined;
  readonly signal: AbortSignal;
}

/** An open connection to an agent under test; serves many conversations at once. */
export interface Connector extends AsyncDisposable {
  /** True when each turn counts in the account of the run already. */
  readonly isPaidThroughAccount?: true;
  /**
   * One turn. An answer that reports a problem is an answer; a failure to answer is thrown as an AssayError with a
   * TARGET_ code: unreachable, timed out, status 4xx or 5xx, not JSON, a shape that holds no message.
   */
  invoke(request: ConnectorRequest): Promise<ConnectorResponse>;
  /** Called when a conversation is over, for a connector that keeps something open for each. */
  endConversation?(conversationId: string): void;
}

/** Settings from a scenario, a config file or the command line. */
export interface ConnectorSettings {
  readonly baseUrl: string | undefined;
  /** Expanded. */
  readonly headers: Readonly<Record<string, string>>;
}

interface ConnectorDescription {
  readonly type: string;
  readonly label: string;
  readonly summary: string;
  /** Facts that its answers report; the author of a scenario may add more. Silence about all others means nothing. */
  readonly reports: readonly Report[];
  /** True where the other side is a model, which does nothing but answer: the same turn may be sent twice. */
  readonly isRepeatable?: boolean | undefined;
  /** True where it offers the tools of a request to a model; a `toolLoop` then runs them. */
  readonly offersTools?: boolean | undefined;
  /** True where its agents ask for decisions; a scenario with a policy of approvals is refused otherwise. */
  readonly asks?: boolean | undefined;
  /** True where it sends files with messages; a scenario with attachments is refused otherwise. */
  readonly sendsFiles?: boolean | undefined;
}

/** A kind of connector as the lists see it. */
export interface ConnectorKind extends ConnectorDescription {
  readonly configSchema: z.ZodType;
  /** Checks the files that a config names before anything runs. */
  check?(config: unknown, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  /** `config` has passed `configSchema`. */
  open(config: unknown, settings: ConnectorSettings, context: TargetContext): Promise<Connector>;
}

interface ConnectorDefinition<Schema extends z.ZodType> extends ConnectorDescription {
  /** A function is called on first use. */
  readonly configSchema: Schema | (() => Schema);
  check?(config: z.output<Schema>, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  open(config: z.output<Schema>, settings: ConnectorSettings, context: TargetContext): Promise<Connector>;
}

/** Ties the config schema of a connector to the code that receives the config. */
export function defineConnector<Schema extends z.ZodType>(definition: ConnectorDefinition<Schema>): ConnectorKind {
  return withLazySchema(definition) as unknown as ConnectorKind;
}
