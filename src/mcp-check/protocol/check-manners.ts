import { refusedMessages } from '../../drive/mcp/incoming.ts';
import { metaKeys } from '../../drive/mcp/protocol-versions.ts';
import { notificationsWithId } from '../../drive/mcp/rpc-peer.ts';
import { refusalText } from '../../drive/mcp/schemas/refusal.ts';
import type { McpAnswer } from '../../drive/mcp/session.ts';
import { changesText, toolChanges } from '../../drive/mcp/tool-pins.ts';
import { isRecord } from '../../shared/json.ts';
import { methodNotFound } from '../../shared/json-rpc.ts';
import { definitionsOf, type ListedServer } from '../definitions/listed-server.ts';
import type { CheckProblem, RequestFinding, RuleText } from '../definitions/rule.ts';
import {
  refusalText as answerText,
  isRefusal,
  readsLikeError,
  resultDefect,
  shownMessage,
} from '../session/answer-text.ts';
import { behaviours } from '../session/behaviours.ts';
import { listTools } from '../session/list-server.ts';
import { protocolRules } from '../session/protocol-rules.ts';
import { findingsOf, problemsOf } from '../session/request-findings.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';

/** A request that every server has to answer in one way. */
interface Question {
  readonly what: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rule: RuleText;
  /** Where silence breaks another rule than a wrong answer; null where it says nothing. */
  readonly unanswered?: RuleText | null;
  defectOf(answer: McpAnswer): string | undefined;
}

const givesResult = ({ kind }: McpAnswer): string | undefined => (kind === 'result' ? 'gives a result.' : undefined);

const ping: Question = {
  what: '`ping`',
  method: 'ping',
  params: {},
  rule: behaviours.pingUnanswered,
  defectOf: (answer) =>
    answer.kind === 'error' ? `is answered with ${answer.code}: ${shownMessage(answer.message)}` : undefined,
};

const ofUnknownVersion: Question = {
  what: 'A request of version 1999-01-01',
  method: 'server/discover',
  params: { _meta: { [metaKeys.version]: '1999-01-01' } },
  rule: protocolRules.protocolVersionUnchecked,
  defectOf: givesResult,
};

const withoutCapabilities: Question = {
  what: 'A request without `clientCapabilities`',
  method: 'server/discover',
  params: { _meta: { [metaKeys.clientCapabilities]: undefined } },
  rule: protocolRules.requestMetaUnchecked,
  defectOf: givesResult,
};

const unknownMethod: Question = {
  what: 'The request `assay/no-such-method`',
  method: 'assay/no-such-method',
  params: {},
  rule: behaviours.unknownMethodAccepted,
  defectOf: (answer) => {
    if (answer.kind === 'result') return 'gives a result.';
    return answer.code === methodNotFound ? undefined : `is answered with ${answer.code} instead of ${methodNotFound}.`;
  },
};

const unknownTool: Question = {
  what: 'Calling `assay_no_such_tool`',
  method: 'tools/call',
  params: { name: 'assay_no_such_tool', arguments: {} },
  rule: behaviours.unknownToolAccepted,
  unanswered: behaviours.unknownToolUnanswered,
  defectOf: (answer) => (isRefusal(answer) ? undefined : 'gives a result.'),
};

/** A server without the capability refuses the request, or has nothing to list. */
function undeclaredList(name: string): Question {
  return {
    what: `\`${name}/list\``,
    method: `${name}/list`,
    params: {},
    rule: protocolRules.capabilityUndeclared,
    unanswered: null,
    defectOf: (answer) => {
      const entries = answer.kind === 'result' ? answer.result[name] : undefined;
      const isEmpty = !Array.isArray(entries) || entries.length === 0;
      return isEmpty ? undefined : `lists ${name} without the capability \`${name}\`.`;
    },
  };
}

function questionsFor({ era, capabilities }: ServerUnderCheck['facts'], { tools }: ListedServer): Question[] {
  const undeclared = ['tools', 'resources', 'prompts'].filter((name) => !isRecord(capabilities[name]));
  return [
    // From 2026-07-28 on there is no session to keep alive.
    ...(era === 'legacy' ? [ping] : [ofUnknownVersion, withoutCapabilities]),
    ...undeclared.map(undeclaredList),
    unknownMethod,
    ...(tools.length === 0 ? [] : [unknownTool]),
  ];
}

/** How the server answers what every server has to answer, and whether it is still what it said it was. */
export async function checkManners(server: ServerUnderCheck, listed: ListedServer): Promise<CheckProblem[]> {
  const findings: RequestFinding[] = [];
  for (const question of questionsFor(server.facts, listed))
    if (server.lost === undefined) findings.push(...(await ask(question, server)));
  if (server.lost === undefined && listed.tools.length > 0) findings.push(...(await changedTools(server, listed)));
  findings.push(...noticed(server.notices()));
  return problemsOf([...findings, ...server.frameFindings(), ...(await server.assumedOfClients())]);
}

async function ask(question: Question, server: ServerUnderCheck): Promise<readonly RequestFinding[]> {
  const { what, method, params, rule, unanswered = rule } = question;
  const end = await server.request(method, params);
  if (unanswered === null && end.kind !== 'answer') return [];
  return findingsOf(what, end, unanswered ?? rule, (answer) => {
    const defect = question.defectOf(answer);
    // A refusal without `isError` is one all the same.
    if (defect !== undefined && question === unknownTool && readsLikeError(answer, ''))
      return [{ rule: behaviours.errorNotMarked, message: `${what}: ${shownMessage(answerText(answer))}` }];
    const malformed = question === unknownTool ? resultDefect(answer) : undefined;
    if (malformed !== undefined) return [{ rule: behaviours.resultMalformed, message: `${what}: ${malformed}` }];
    if (defect !== undefined) return [{ rule, message: `${what} ${defect}` }];
    // The answer of a server that need not have the feature is not looked at.
    if (answer.refusal === undefined || unanswered === null) return [];
    return [{ rule: behaviours.messageRefused, message: `${what} is answered with ${refusalText(answer.refusal)}.` }];
  });
}

async function changedTools(server: ServerUnderCheck, listed: ListedServer): Promise<RequestFinding[]> {
  // After a restart the server may rightly be another, and what it announced before is of no use.
  if (server.announcedChanges > 0 || server.failures > 0) return [];
  const changes = toolChanges(definitionsOf(listed.tools), definitionsOf(await listTools(server)));
  if (changes.length === 0 || server.announcedChanges > 0) return [];
  return [{ rule: behaviours.toolsChangedUnannounced, message: `${changesText(changes)}.` }];
}

/** The lines that the session ignored, once for each rule: an object that is printed gives lines of several kinds. */
function noticed(notices: readonly string[]): RequestFinding[] {
  const rules = new Map<RuleText, string[]>();
  for (const notice of notices) {
    const rule = ruleOfNotice(notice);
    rules.set(rule, [...(rules.get(rule) ?? []), shownMessage(notice)]);
  }
  return [...rules].map(([rule, messages]) => ({ rule, message: messages.join(' ') }));
}

/** The rule of a violation that the session ignores. */
function ruleOfNotice(notice: string): RuleText {
  if (notice.includes(refusedMessages)) return behaviours.messageRefused;
  return notice.includes(notificationsWithId) ? protocolRules.notificationWithId : behaviours.protocolNoise;
}
