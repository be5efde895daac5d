import type { Report } from '../../domain/capability.ts';
import type { Message } from '../../domain/message.ts';
import type { TokenUsage, Usage } from '../../domain/usage.ts';
import type { Connector, ConnectorSettings } from '../../drive/connectors/connector.ts';
import type { ConfigIssue, TargetContext } from '../../drive/targets/target.ts';
import type { ConfigOf, ConfigSchema } from './plugin-config.ts';

interface ConnectorContextBase<Config> {
  readonly config: Config;
  readonly baseUrl: string | undefined;
  /** Of the connector, with those of the persona over them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the answer is no longer waited for. */
  readonly signal: AbortSignal;
}

/** Argument of a plug-in connector's `invoke`, for one turn. */
export interface ConnectorContext<Config = Readonly<Record<string, unknown>>> extends ConnectorContextBase<Config> {
  /** The whole conversation so far, ending with the user's message. */
  readonly messages: Message[];
  /** Those of them that the endpoint has not been sent in this conversation. */
  readonly newMessages: Message[];
  /** Stable for the conversation, and new for each. */
  readonly conversationId: string;
  /** The thread that an earlier answer of this conversation named. */
  readonly threadId: string | undefined;
  /** From 1. */
  readonly turn: number;
  /** Where a scenario is tried with several models. */
  readonly model: string | undefined;
}

/** Argument of a plug-in connector's `test`. */
export type ConnectorTestContext<Config = Readonly<Record<string, unknown>>> = ConnectorContextBase<Config>;

/** The figures of `TokenUsage` in an older spelling. */
export interface OlderTokenUsage {
  readonly input_tokens?: number | undefined;
  readonly output_tokens?: number | undefined;
  readonly total_tokens?: number | undefined;
}

/** The new messages of a turn, with its measurements. */
export interface ConnectorAnswer {
  /** False when there was no answer; `error` then says why. */
  readonly success?: boolean | undefined;
  readonly error?: string | undefined;
  readonly messages?: readonly Message[] | undefined;
  /** By default the time that `invoke` took. */
  readonly latencyMs?: number | undefined;
  readonly timeToFirstTokenMs?: number | undefined;
  readonly usage?: Usage | undefined;
  /** The same in another spelling. */
  readonly tokenUsage?: TokenUsage | undefined;
  readonly tokensUsage?: OlderTokenUsage | undefined;
  readonly costUsd?: number | undefined;
  /** Facts that the endpoint reports whenever they occur, such as `tool-calls`. */
  readonly reports?: readonly Report[] | undefined;
  readonly model?: string | undefined;
  readonly threadId?: string | undefined;
  /** Kept in the trace. */
  readonly rawResponse?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether the endpoint of a connector is there. */
export interface ConnectorTest {
  readonly success: boolean;
  readonly latencyMs: number;
  readonly error?: string | undefined;
}

interface Description<Schema> {
  /** The name that scenarios use. */
  readonly type: string;
  readonly label: string;
  readonly configSchema?: Schema | undefined;
}

/** A connector of a plug-in: a function that asks the agent once. */
export interface InvokedConnectorPlugin<Schema> extends Description<Schema> {
  readonly description?: string | undefined;
  /** Text is the assistant's answer. Throw when the agent cannot answer. */
  invoke(context: ConnectorContext<ConfigOf<Schema>>): ConnectorAnswer | string | Promise<ConnectorAnswer | string>;
  /** Throws, or gives false or an error, when the endpoint is not available. */
  test?(context: ConnectorTestContext<ConfigOf<Schema>>): unknown;
}

/** A connector of a plug-in that owns something between turns, such as a connection. */
export interface OpenedConnectorPlugin<Schema> extends Description<Schema> {
  readonly summary: string;
  check?(config: ConfigOf<Schema>, context: Pick<TargetContext, 'directory'>): readonly ConfigIssue[];
  open(config: ConfigOf<Schema>, settings: ConnectorSettings, context: TargetContext): Promise<Connector>;
}

/** Any connector of a plug-in, once its config is described. */
export type ConnectorPlugin = InvokedConnectorPlugin<ConfigSchema> | OpenedConnectorPlugin<ConfigSchema>;
