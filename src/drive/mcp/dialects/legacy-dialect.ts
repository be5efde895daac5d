import { AssayError } from '../../../domain/errors.ts';
import { isRecord } from '../../../shared/json.ts';
import { printable } from '../../../shared/text.ts';
import { legacyVersions, otherVersion } from '../protocol-versions.ts';
import type { McpAnswer, McpRequestOptions } from '../session.ts';
import { withinLimits } from '../wire/within-limits.ts';
import type { Dialect, Greeting, GreetingOptions, Line } from './dialect.ts';

/** Versions until 2025-11-25: a handshake begins a session, and both sides may ask. */
export class LegacyDialect implements Dialect {
  readonly era = 'legacy';
  readonly aliveMethod = 'ping';
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  async open(options: GreetingOptions): Promise<Greeting> {
    const { label, peer } = this.#line;
    const { timeoutMs, signal, capabilities = {}, clientVersion = '1' } = options;
    const clientInfo = { name: 'assay', title: 'Assay', version: clientVersion };
    const params = { protocolVersion: legacyVersions[0], capabilities, clientInfo };
    const greeting = greetingFrom(label, await peer.request('initialize', params, { timeoutMs, signal }));
    this.#line.useProtocolVersion(greeting.protocolVersion);
    // The next request may take another connection and must not arrive first.
    const greeted = this.#line.notify('notifications/initialized', {});
    if (greeted) await withinLimits(greeted, options, `the MCP server "${label}" to accept the session`);
    return greeting;
  }

  request(method: string, params: Readonly<Record<string, unknown>>, options: McpRequestOptions): Promise<McpAnswer> {
    return this.#line.peer.request(method, params, options);
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
  if (Array.isArray(supported)) return otherVersion(label, supported, `only version ${supported.join(', ')}`);
  const text = `The MCP server "${label}" refused to start a session: ${printable(message)} (${code}).`;
  return new AssayError('MCP_SERVER_NOT_STARTED', text);
}

function isSpoken(version: unknown): version is string {
  return legacyVersions.some((spoken) => spoken === version);
}

function violation(label: string, how: string): AssayError {
  return new AssayError('MCP_PROTOCOL_VIOLATED', `The MCP server "${label}" answered initialize ${how}.`);
}
