import { changesText, toolChanges } from '../../drive/mcp/tool-pins.ts';
import { listTools } from '../list-server.ts';
import { definitionsOf, type ListedServer } from '../listed-server.ts';
import { type CheckProblem, problemOf } from '../rule.ts';
import { isRefusal, shownMessage } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import type { CallFinding } from './judge-call.ts';
import type { RequestEnd, ServerUnderCheck } from './server-under-check.ts';

const methodNotFound = -32_601;
const strangeTool = 'assay_no_such_tool';
const strangeMethod = 'assay/no-such-method';

/** How the server answers what every server has to answer, and whether it is still what it said it was. */
export async function checkManners(server: ServerUnderCheck, listed: ListedServer): Promise<CheckProblem[]> {
  const questions = [
    // From 2026-07-28 on there is no session to keep alive.
    ...(server.facts.era === 'legacy' ? [async () => pingProblem(await server.request('ping', {}))] : []),
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
  for (const notice of server.notices()) noted.push({ rule: behaviours.protocolNoise, message: shownMessage(notice) });
  return noted.map(({ rule, message }) => problemOf(rule, { message }));
}

function pingProblem(end: RequestEnd): CallFinding | undefined {
  if (end.kind !== 'answer') return { rule: behaviours.pingUnanswered, message: shownMessage(end.message) };
  const { answer } = end;
  if (answer.kind === 'result') return undefined;
  const message = `It answers with ${answer.code}: ${shownMessage(answer.message)}`;
  return { rule: behaviours.pingUnanswered, message };
}

function unknownToolProblem(end: RequestEnd): CallFinding | undefined {
  const what = `Calling \`${strangeTool}\``;
  if (end.kind === 'failed') return { rule: behaviours.serverFailed, message: `${what}: ${shownMessage(end.message)}` };
  if (end.kind === 'timeout')
    return { rule: behaviours.unknownToolUnanswered, message: `${what} is not answered in time.` };
  return isRefusal(end.answer)
    ? undefined
    : { rule: behaviours.unknownToolAccepted, message: `${what} gives a result.` };
}

function unknownMethodProblem(end: RequestEnd): CallFinding | undefined {
  const what = `The request \`${strangeMethod}\``;
  if (end.kind === 'failed') return { rule: behaviours.serverFailed, message: `${what}: ${shownMessage(end.message)}` };
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
