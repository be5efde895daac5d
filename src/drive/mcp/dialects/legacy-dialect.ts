import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { commonVersion, legacyVersions, modernVersions, otherVersion, versionsText } from '../protocol-versions.ts';
import type { PeerRequestOptions } from '../rpc-peer.ts';
import type { McpAnswer, McpRequestOptions, ToolDefinition } from '../session.ts';
import { withinLimits } from '../wire/within-limits.ts';
import { clientInfoOf, type Dialect, type Greeting, type GreetingOptions, type Line } from './dialect.ts';

/** Versions until 2025-11-25: a handshake begins a session, and both sides may ask. */
export class LegacyDialect implements Dialect {
  readonly era = 'legacy';
  readonly aliveMethod = 'ping';
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  async open(options: GreetingOptions): Promise<Greeting> {
    return this.begin(await this.greet(options), options);
  }

  /** The first half of the handshake, which changes nothing here. */
  async greet(options: GreetingOptions, isInBackground = false): Promise<Greeting> {
    const { timeoutMs, signal, sinceMs, capabilities = {} } = options;
    const params = { protocolVersion: legacyVersions[0], capabilities, clientInfo: clientInfoOf(options) };
    const limits = { timeoutMs, signal, sinceMs, isInBackground };
    return greetingFrom(this.#line.label, await this.#ask('initialize', params, limits));
  }

  async begin(greeting: Greeting, options: GreetingOptions): Promise<Greeting> {
    this.#line.useProtocolVersion(greeting.protocolVersion);
    // The next request may take another connection and must not arrive first.
    const greeted = this.#line.notify('notifications/initialized', {});
    if (greeted) await withinLimits(greeted, options, `the MCP server "${this.#line.label}" to accept the session`);
    return greeting;
  }

  request(method: string, params: Readonly<Record<string, unknown>>, options: McpRequestOptions): Promise<McpAnswer> {
    return this.#ask(method, params, options);
  }

  #ask(method: string, params: Readonly<Record<string, unknown>>, options: PeerRequestOptions): Promise<McpAnswer> {
    const { peer, rules } = this.#line;
    return peer.request(method, params, { ...options, refusalIn: (result) => rules.result('legacy', method, result) });
  }

  usableTools(tools: readonly ToolDefinition[]): readonly ToolDefinition[] {
    return tools;
  }

  end(): void {
    // Nothing is kept beside the connection.
  }
}

function greetingFrom(label: string, answer: McpAnswer): Greeting {
  if (answer.kind === 'error') throw refused(label, answer);
  const { protocolVersion, capabilities, serverInfo, instructions } = answer.result;
  if (!isSpoken(protocolVersion)) {
    const theirs = typeof protocolVersion === 'string' ? `version ${protocolVersion}` : 'no version';
    throw otherVersion(label, [protocolVersion], theirs);
  }
  if (!isRecord(capabilities)) throw violation(label, 'without `capabilities`');
  if (!isRecord(serverInfo) || typeof serverInfo.name !== 'string') throw violation(label, 'without `serverInfo.name`');
  return {
    name: printable(serverInfo.name),
    version: typeof serverInfo.version === 'string' ? printable(serverInfo.version) : '',
    protocolVersion,
    capabilities,
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function refused(label: string, { code, message, data }: Extract<McpAnswer, { kind: 'error' }>): AssayError {
  const supported = isRecord(data) ? data.supported : undefined;
  const modern = Array.isArray(supported) ? commonVersion(modernVersions, supported) : undefined;
  if (modern !== undefined) {
    const message = `The MCP server "${label}" has only version ${modern} of the protocol, which has no handshake.`;
    return new AssayError('MCP_FEATURE_ABSENT', message, {
      hint: 'Remove `protocol` from the server, or set it to `modern`.',
    });
  }
  if (Array.isArray(supported)) return otherVersion(label, supported, versionsText(supported));
  const text = `The MCP server "${label}" refused to start a session: ${printable(message)} (${code}).`;
  return new AssayError('MCP_SERVER_NOT_STARTED', text);
}

function isSpoken(version: unknown): version is string {
  return legacyVersions.some((spoken) => spoken === version);
}

function violation(label: string, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" answered initialize ${how}.`);
}
