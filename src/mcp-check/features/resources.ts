import { isRecord } from '../../shared/json.ts';
import type { ListedItem } from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf, type RuleText } from '../definitions/rule.ts';
import { shownMessage } from '../session/answer-text.ts';
import { missingNeed } from '../session/failure-cause.ts';
import { acceptedProblems, requestProblems } from '../session/request-findings.ts';
import type { ServerUnderCheck } from '../session/server-under-check.ts';
import { type Feature, type FeatureContext, FeatureTally } from './feature.ts';
import { featureRules } from './feature-rules.ts';

const strangeUri = 'assay://no-such-resource';
const notFound = { legacy: -32_002, modern: -32_602 } as const;

/** Resources that are listed, and the interfaces of tools, are read. */
export const resources: Feature = {
  name: 'resources',
  isOffered: ({ facts, tools }) =>
    isRecord(facts.capabilities.resources) || tools.some(({ definition }) => interfaceOf(definition) !== undefined),
  async check({ server, listed }) {
    const tally = new FeatureTally();
    await tally.tryEach(listed.resources, server, async ({ definition }) =>
      tally.add(await readProblems(server, definition.uri, featureRules.resourceUnreadable)),
    );
    for (const { name, definition } of listed.tools) {
      const uri = interfaceOf(definition);
      if (uri === undefined || server.lost !== undefined) continue;
      const found = await readProblems(server, uri, featureRules.uiResourceMissing);
      tally.add(found.map((problem) => ({ ...problem, tools: [name] })));
    }
    if (listed.resources.length + listed.resourceTemplates.length > 0) tally.note(await strangeProblems(server));
    return tally.outcome();
  },
};

/** Resources behind templates are read where the server suggests values for all variables. */
export const resourceTemplates: Feature = {
  name: 'resource templates',
  isOffered: ({ resourceTemplates }) => resourceTemplates.length > 0,
  async check(context) {
    const tally = new FeatureTally();
    const { server, listed } = context;
    await tally.tryEach(listed.resourceTemplates, server, async (template) => {
      const uri = await filledIn(template, context);
      if (uri === undefined) tally.leaveOut('the server suggests no values for the variables of a template');
      else tally.add(await readProblems(server, uri, featureRules.resourceUnreadable));
    });
    return tally.outcome();
  },
};

/** The URI of the interface that a tool shows its results in. */
export function interfaceOf({ _meta }: ListedItem['definition']): string | undefined {
  if (!isRecord(_meta)) return undefined;
  const uri = isRecord(_meta.ui) ? _meta.ui.resourceUri : _meta['ui/resourceUri'];
  return typeof uri === 'string' ? uri : undefined;
}

/** The names of the variables of a template; undefined for one that is more than names in braces. */
export function templateVariables({ definition }: ListedItem): string[] | undefined {
  const { uriTemplate } = definition;
  if (typeof uriTemplate !== 'string') return undefined;
  const names = [...uriTemplate.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) =>
    name.replace(/^\+/, '').replace(/\*$/, ''),
  );
  return names.every((name) => /^\w+$/.test(name)) ? [...new Set(names)] : undefined;
}

async function filledIn(template: ListedItem, { suggestions }: FeatureContext): Promise<string | undefined> {
  const variables = templateVariables(template);
  const uriTemplate = String(template.definition.uriTemplate);
  if (variables === undefined) return undefined;
  const values = new Map<string, string>();
  for (const name of variables) {
    const value = await suggestions.first({ type: 'ref/resource', uri: uriTemplate }, name);
    if (value === undefined) return undefined;
    values.set(name, value);
  }
  return uriTemplate.replace(/\{(\+?)(\w+)\*?\}/g, (_whole, plus: string, name: string) => {
    const value = values.get(name) ?? '';
    return plus === '+' ? value : encodeURIComponent(value);
  });
}

async function readProblems(server: ServerUnderCheck, uri: unknown, refused: RuleText): Promise<CheckProblem[]> {
  const rules = { refused, malformed: featureRules.resourceMalformed };
  if (typeof uri !== 'string') return [problemOf(rules.malformed, { message: 'A listed resource has no `uri`.' })];
  return requestProblems(`\`${uri}\``, await server.request('resources/read', { uri }), rules, contentDefect);
}

function contentDefect({ contents }: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.isArray(contents)) return '`contents` is not a list.';
  const wrong = contents.findIndex((content: unknown) => !isContent(content));
  return wrong === -1 ? undefined : `\`contents[${wrong}]\` needs \`uri\`, and \`text\` or a \`blob\` in Base64.`;
}

function isContent(content: unknown): boolean {
  if (!isRecord(content) || typeof content.uri !== 'string') return false;
  if (typeof content.text === 'string') return true;
  return typeof content.blob === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(content.blob);
}

async function strangeProblems(server: ServerUnderCheck): Promise<CheckProblem[]> {
  if (server.lost !== undefined) return [];
  const end = await server.request('resources/read', { uri: strangeUri });
  const what = `Reading \`${strangeUri}\``;
  const accepted = acceptedProblems(what, end, featureRules.unknownResourceAccepted);
  if (accepted.length > 0 || end.kind !== 'answer' || end.answer.kind !== 'error') return accepted;
  const { code, message: text } = end.answer;
  const expected = notFound[server.facts.era];
  // A server that lacks something refuses whatever is read.
  if (code === expected || missingNeed(text) !== undefined) return [];
  const message = `${what} is refused with ${code} instead of ${expected}: ${shownMessage(text)}`;
  return [problemOf(featureRules.unknownResourceCode, { message })];
}

/** One resource is subscribed to, and unsubscribed from again. */
export const subscriptions: Feature = {
  name: 'subscriptions',
  isOffered: ({ facts }) => isRecord(facts.capabilities.resources) && facts.capabilities.resources.subscribe === true,
  async check({ server, listed }) {
    const tally = new FeatureTally();
    const uri = listed.resources.map(({ definition }) => definition.uri).find((one) => typeof one === 'string');
    if (server.facts.era === 'modern')
      tally.leaveOut('subscriptions of this protocol version are not tried by this check');
    else if (uri === undefined) tally.leaveOut('the server lists no resource');
    else
      for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
        if (server.lost !== undefined) break;
        const rules = { refused: featureRules.subscriptionFailed, malformed: featureRules.subscriptionFailed };
        tally.add(
          requestProblems(`${method} \`${uri}\``, await server.request(method, { uri }), rules, () => undefined),
        );
      }
    return tally.outcome();
  },
};
