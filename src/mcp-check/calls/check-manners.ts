import { resultsWithoutType } from '../../drive/mcp/dialects/modern-dialect.ts';
import { notificationsWithId } from '../../drive/mcp/rpc-peer.ts';
import { changesText, toolChanges } from '../../drive/mcp/tool-pins.ts';
import { isRecord } from '../../shared/json.ts';
import { listTools } from '../list-server.ts';
import { definitionsOf, type ListedServer } from '../listed-server.ts';
import { protocolRules } from '../protocol/protocol-rules.ts';
import { type CheckProblem, problemOf, type RuleText } from '../rule.ts';
import { isRefusal, shownMessage } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import type { CallFinding } from './call-finding.ts';
import { ruleOfFailure } from './failure-rule.ts';
import type { RequestEnd, ServerUnderCheck } from './server-under-check.ts';

const methodNotFound = -32_601;
const strangeTool = 'assay_no_such_tool';
const strangeMethod = 'assay/no-such-method';

/** How the server answers what every server has to answer, and whether it is still what it said it was. */
export async function checkManners(server: ServerUnderCheck, listed: ListedServer): Promise<CheckProblem[]> {
  const questions = [
    // From 2026-07-28 on there is no session to keep alive.
    ...(server.facts.era === 'legacy'
      ? [async () => pingProblem(await server.request('ping', {}))]
      : [() => versionProblem(server), () => metaProblem(server)]),
    ...undeclaredLists(server).map((list) => () => undeclaredProblem(server, list)),
    async () => unknownMethodProblem(await server.request(strangeMethod, {})),
    ...(listed.tools.length === 0
      ? []
      : [
          async () => unknownToolProblem(await server.callTool(strangeTool, {})),
          () => changedToolsProblem(server, listed),
        ]),
  ];
  const noted: CallFinding[] = [];
  for (const ask of questions) {
    const problem = server.lost === undefined ? await ask() : undefined;
    if (problem) noted.push(problem);
  }
  for (const notice of server.notices()) noted.push({ rule: ruleOfNotice(notice), message: shownMessage(notice) });
  noted.push(...server.frameFindings());
  return noted.map(({ rule, message }) => problemOf(rule, { message }));
}

function pingProblem(end: RequestEnd): CallFinding | undefined {
  if (end.kind === 'unauthorized') return undefined;
  if (end.kind !== 'answer') return { rule: behaviours.pingUnanswered, message: shownMessage(end.message) };
  const { answer } = end;
  if (answer.kind === 'result') return undefined;
  const message = `It answers with ${answer.code}: ${shownMessage(answer.message)}`;
  return { rule: behaviours.pingUnanswered, message };
}

function unknownToolProblem(end: RequestEnd): CallFinding | undefined {
  const what = `Calling \`${strangeTool}\``;
  if (end.kind === 'unauthorized') return undefined;
  if (end.kind === 'failed')
    return { rule: ruleOfFailure(end.message), message: `${what}: ${shownMessage(end.message)}` };
  if (end.kind === 'timeout')
    return { rule: behaviours.unknownToolUnanswered, message: `${what} is not answered in time.` };
  return isRefusal(end.answer)
    ? undefined
    : { rule: behaviours.unknownToolAccepted, message: `${what} gives a result.` };
}

function unknownMethodProblem(end: RequestEnd): CallFinding | undefined {
  const what = `The request \`${strangeMethod}\``;
  if (end.kind === 'unauthorized') return undefined;
  if (end.kind === 'failed')
    return { rule: ruleOfFailure(end.message), message: `${what}: ${shownMessage(end.message)}` };
  const rule = behaviours.unknownMethodAccepted;
  if (end.kind === 'timeout') return { rule, message: `${what} is not answered in time.` };
  const { answer } = end;
  if (answer.kind === 'result') return { rule, message: `${what} gives a result.` };
  if (answer.code === methodNotFound) return undefined;
  return { rule, message: `${what} is answered with ${answer.code} instead of ${methodNotFound}.` };
}

async function changedToolsProblem(server: ServerUnderCheck, listed: ListedServer): Promise<CallFinding | undefined> {
  // After a restart the server may rightly be another, and what it announced before is of no use.
  if (server.announcedChanges > 0 || server.failures > 0) return undefined;
  const { tools } = await listTools(server);
  const changes = toolChanges(definitionsOf(listed.tools), definitionsOf(tools));
  if (changes.length === 0 || server.announcedChanges > 0) return undefined;
  return { rule: behaviours.toolsChangedUnannounced, message: `${changesText(changes)}.` };
}

/** The rule of a violation that the session ignores. */
function ruleOfNotice(notice: string): RuleText {
  if (notice.includes(resultsWithoutType)) return protocolRules.resultTypeMissing;
  return notice.includes(notificationsWithId) ? protocolRules.notificationWithId : behaviours.protocolNoise;
}

const metaPrefix = 'io.modelcontextprotocol/';
const strangeVersion = '1999-01-01';

async function versionProblem(server: ServerUnderCheck): Promise<CallFinding | undefined> {
  const _meta = { [`${metaPrefix}protocolVersion`]: strangeVersion };
  const what = `A request of version ${strangeVersion}`;
  return acceptedProblem(protocolRules.versionUnchecked, what, await server.request('server/discover', { _meta }));
}

async function metaProblem(server: ServerUnderCheck): Promise<CallFinding | undefined> {
  const _meta = { [`${metaPrefix}clientCapabilities`]: undefined };
  const what = 'A request without `clientCapabilities`';
  return acceptedProblem(protocolRules.metaUnchecked, what, await server.request('server/discover', { _meta }));
}

function acceptedProblem(rule: RuleText, what: string, end: RequestEnd): CallFinding | undefined {
  if (end.kind === 'unauthorized') return undefined;
  if (end.kind === 'failed')
    return { rule: ruleOfFailure(end.message), message: `${what}: ${shownMessage(end.message)}` };
  if (end.kind === 'timeout') return { rule, message: `${what} is not answered in time.` };
  return end.answer.kind === 'error' ? undefined : { rule, message: `${what} gives a result.` };
}

function undeclaredLists({ facts }: ServerUnderCheck): string[] {
  return ['tools', 'resources', 'prompts'].filter((name) => !isRecord(facts.capabilities[name]));
}

/** A server without the capability refuses the request, or has nothing to list. */
async function undeclaredProblem(server: ServerUnderCheck, name: string): Promise<CallFinding | undefined> {
  const end = await server.request(`${name}/list`, {});
  const entries = end.kind === 'answer' && end.answer.kind === 'result' ? end.answer.result[name] : undefined;
  if (!Array.isArray(entries) || entries.length === 0) return undefined;
  return { rule: protocolRules.capabilityUndeclared, message: `It lists ${name} without the capability \`${name}\`.` };
}
