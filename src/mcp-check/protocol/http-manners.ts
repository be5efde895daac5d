import { metaKeys, metaOf } from '../../drive/mcp/protocol-versions.ts';
import type { ServerFacts } from '../../drive/mcp/session.ts';
import { mirroredHeaders } from '../../drive/mcp/wire/mirrored-headers.ts';
import { type CheckProblem, problemOf, type RuleText } from '../definitions/rule.ts';
import { shownMessage } from '../session/answer-text.ts';
import { protocolRules } from '../session/protocol-rules.ts';
import type { NamedRequest } from '../session/server-under-check.ts';
import { endSession, type HttpOutcome, type HttpTarget, post } from './http-exchange.ts';

const strangeOrigin = 'https://assay-check.invalid';
const strangeSession = 'assay-no-such-session';
const strangeName = 'assay_no_such_name';
const clientInfo = { name: 'assay', version: '1' };

type HeaderFields = Readonly<Record<string, string>>;
type Message = Readonly<Record<string, unknown>>;

/** Facts that the session found out about the server. */
interface Known {
  readonly facts: ServerFacts;
  /** Requests by name that it answered with a result. */
  grantedByName(): readonly NamedRequest[];
}

/** How the server treats requests over HTTP that no session would send. */
export async function checkHttp(target: HttpTarget, known: Known) {
  const { era, protocolVersion } = known.facts;
  const first = era === 'modern' ? discovery(protocolVersion) : handshake(protocolVersion);
  const right = await post(target, first.message, first.headers);
  const report = { name: 'HTTP', tried: 1, ok: 1, leftOut: null };
  if (!right?.isResult) {
    // A server behind a login refuses such requests, which says nothing of the others.
    const leftOut = right ? `a plain request was answered with ${right.status}` : 'a plain request was not answered';
    return { report: { ...report, ok: 0, leftOut }, problems: [] };
  }
  const problems = await originProblems(target, first);
  if (era === 'legacy') problems.push(...(await sessionProblems(target, right, first)));
  else problems.push(...(await methodProblems(target, first)), ...(await nameProblems(target, known)));
  await endSession(target, era === 'legacy' ? right.sessionId : undefined);
  return { report, problems };
}

interface Opening {
  readonly message: Message;
  readonly headers: HeaderFields;
}

function handshake(protocolVersion: string): Opening {
  const params = { protocolVersion, capabilities: {}, clientInfo };
  return { message: { id: 1, method: 'initialize', params }, headers: {} };
}

function discovery(version: string): Opening {
  return requestOf({ method: 'server/discover', params: {} }, version);
}

/** A request of a version without sessions, with all that such a request has. */
function requestOf({ method, params }: NamedRequest, version: string): Opening {
  const _meta = {
    ...metaOf(params),
    [metaKeys.version]: version,
    [metaKeys.clientInfo]: clientInfo,
    [metaKeys.clientCapabilities]: {},
  };
  const message = { id: 1, method, params: { ...params, _meta } };
  return { message, headers: mirroredHeaders(message, version) };
}

async function originProblems(target: HttpTarget, { message, headers }: Opening): Promise<CheckProblem[]> {
  const outcome = await post(target, message, { ...headers, origin: strangeOrigin });
  await endSession(target, outcome?.sessionId);
  if (!outcome?.isResult) return [];
  return problem(protocolRules.originUnchecked, `With \`Origin: ${strangeOrigin}\` a result comes back.`);
}

async function methodProblems(target: HttpTarget, { message, headers }: Opening): Promise<CheckProblem[]> {
  const outcome = await post(target, message, { ...headers, 'mcp-method': 'tools/list' });
  if (!outcome?.isResult) return [];
  const text = `\`${message.method}\` with \`Mcp-Method: tools/list\` gives a result.`;
  return problem(protocolRules.headerMismatchAccepted, text);
}

/** A request that the server grants with the right name, and should not grant with another. */
async function nameProblems(target: HttpTarget, server: Known): Promise<CheckProblem[]> {
  for (const request of server.grantedByName()) {
    const { message, headers } = requestOf(request, server.facts.protocolVersion);
    // Without what only the session knows, such as headers for arguments, it may rightly be refused.
    if (!(await post(target, message, headers))?.isResult) continue;
    const outcome = await post(target, message, { ...headers, 'mcp-name': strangeName });
    if (!outcome?.isResult) continue;
    const text = `\`${request.method}\` of ${shownMessage(headers['mcp-name'] ?? '')} with \`Mcp-Name: ${strangeName}\` gives a result.`;
    return problem(protocolRules.headerMismatchAccepted, text);
  }
  return [];
}

async function sessionProblems(target: HttpTarget, { sessionId }: HttpOutcome, { message }: Opening) {
  if (sessionId === undefined) return [];
  const { protocolVersion } = message.params as { readonly protocolVersion: string };
  const headers = { 'mcp-session-id': strangeSession, 'mcp-protocol-version': protocolVersion };
  const outcome = await post(target, { id: 2, method: 'ping', params: {} }, headers);
  if (!outcome?.isResult) return [];
  return problem(
    protocolRules.sessionIdUnchecked,
    `\`ping\` with \`Mcp-Session-Id: ${strangeSession}\` gives a result.`,
  );
}

function problem(rule: RuleText, message: string): CheckProblem[] {
  return [problemOf(rule, { message })];
}
