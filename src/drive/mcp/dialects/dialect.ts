import type { IncomingHandlers } from '../incoming.ts';
import type { RpcPeer } from '../rpc-peer.ts';
import type { MessageRules } from '../schemas/message-rules.ts';
import type { Era, McpAnswer, McpRequestOptions, OpenSessionOptions, ServerFacts, ToolDefinition } from '../session.ts';

/** An open connection, as a dialect uses it. */
export interface Line {
  readonly label: string;
  readonly transport: ServerFacts['transport'];
  readonly peer: RpcPeer;
  /** The rules by which official clients refuse messages. */
  readonly rules: MessageRules;
  readonly incoming: IncomingHandlers;
  /** Resolves when the server has it or cannot have it; undefined where that is not known. */
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<void> | undefined;
  /** Called once it is known which version both sides speak. */
  useProtocolVersion(version: string): void;
}

/** Facts that the server gives of itself. */
export type Greeting = Omit<ServerFacts, 'label' | 'transport' | 'era'>;

/** Limits and client facts of the beginning of a session. */
export interface GreetingOptions
  extends Pick<OpenSessionOptions, 'timeoutMs' | 'signal' | 'capabilities' | 'clientVersion'> {
  /** When the time limit began to count. */
  readonly sinceMs: number;
}

/** The name under which we introduce ourselves. */
export function clientInfoOf({ clientVersion = '1' }: GreetingOptions): Readonly<Record<string, string>> {
  return { name: 'assay', title: 'Assay', version: clientVersion };
}

/** How the protocol is spoken in one era, on one open connection. */
export interface Dialect {
  readonly era: Era;
  /** A request that every server of the era has to answer. */
  readonly aliveMethod: string;
  /** Begins to talk; what the server says of itself is checked. */
  open(options: GreetingOptions): Promise<Greeting>;
  request(method: string, params: Readonly<Record<string, unknown>>, options: McpRequestOptions): Promise<McpAnswer>;
  /** The tools that a client may call. */
  usableTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[];
  /** The connection is over. */
  end(): void;
}
