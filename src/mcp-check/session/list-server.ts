import { AssayError } from '../../domain/errors.ts';
import { refusalText } from '../../drive/mcp/schemas/refusal.ts';
import { isRecord } from '../../shared/json.ts';
import { methodNotFound } from '../../shared/json-rpc.ts';
import {
  type ListedItem,
  type ListedServer,
  type ListedTool,
  readItem,
  readTool,
} from '../definitions/listed-server.ts';
import { type CheckProblem, problemOf } from '../definitions/rule.ts';
import { shownMessage } from './answer-text.ts';
import { behaviours } from './behaviours.ts';
import { missingNeed } from './failure-cause.ts';
import type { ServerUnderCheck } from './server-under-check.ts';

const mostPages = 200;

interface Listing<Item> {
  readonly items: readonly Item[];
  readonly malformed: readonly string[];
  readonly problems: readonly CheckProblem[];
}

/** Lists everything that the server offers, and reports the lists that failed. */
export async function listServer(
  server: ServerUnderCheck,
): Promise<{ listed: ListedServer; problems: CheckProblem[] }> {
  const { capabilities } = server.facts;
  const nothing: Listing<never> = { items: [], malformed: [], problems: [] };
  const has = (capability: string): boolean => isRecord(capabilities[capability]);
  const tools = has('tools') ? await listAll(server, 'tools/list', 'tools', readTool) : nothing;
  const resources = has('resources') ? await listItems(server, 'resources/list', 'resources') : nothing;
  const templates = has('resources')
    ? await listItems(server, 'resources/templates/list', 'resourceTemplates')
    : nothing;
  const prompts = has('prompts') ? await listItems(server, 'prompts/list', 'prompts') : nothing;
  const all = [tools, resources, templates, prompts];
  return {
    listed: {
      facts: server.facts,
      tools: tools.items,
      resources: resources.items,
      resourceTemplates: templates.items,
      prompts: prompts.items,
      malformed: all.flatMap(({ malformed }) => malformed),
    },
    problems: all.flatMap(({ problems }) => problems),
  };
}

/** The tools alone. */
export async function listTools(server: ServerUnderCheck): Promise<readonly ListedTool[]> {
  return (await listAll(server, 'tools/list', 'tools', readTool)).items;
}

function listItems(server: ServerUnderCheck, method: string, key: string): Promise<Listing<ListedItem>> {
  return listAll(server, method, key, readItem);
}

async function listAll<Item>(
  server: ServerUnderCheck,
  method: string,
  key: string,
  read: (entry: unknown) => Item | undefined,
): Promise<Listing<Item>> {
  const items: Item[] = [];
  const malformed: string[] = [];
  const refusals: string[] = [];
  const cursors = new Set<string>();
  const ended = (message?: string): Listing<Item> => ({
    items,
    malformed,
    problems: [
      ...(message === undefined
        ? []
        : [
            problemOf(missingNeed(message) === undefined ? behaviours.listFailed : behaviours.serverNeedMissing, {
              message: `${method}: ${message}`,
            }),
          ]),
      // Entries without a name have their own rule, which counts them.
      ...(malformed.length > 0 ? [] : refusals.slice(0, 1)).map((refusal) =>
        problemOf(behaviours.messageRefused, { message: refusal }),
      ),
    ],
  });
  for (let cursor: string | undefined; cursors.size < mostPages; ) {
    const end = await server.request(method, cursor === undefined ? {} : { cursor });
    if (end.kind !== 'answer' && key === 'tools') throw unlisted(end.kind, end.message);
    if (end.kind === 'unauthorized') return ended();
    if (end.kind !== 'answer') return ended(shownMessage(end.message));
    if (end.answer.kind === 'error') {
      // Templates are a part of resources that many servers leave out.
      const isOptional = end.answer.code === methodNotFound && key === 'resourceTemplates';
      return ended(isOptional ? undefined : `${end.answer.code} ${shownMessage(end.answer.message)}`);
    }
    const { refusal } = end.answer;
    // Schemas have their own rules, which name each place.
    if (refusal && !/Schema\b/.test(refusal.path)) refusals.push(`${method}: ${refusalText(refusal)}.`);
    const { [key]: page, nextCursor } = end.answer.result;
    if (!Array.isArray(page)) return ended(`the answer has no list of \`${key}\`.`);
    for (const [index, entry] of page.entries()) {
      const item = read(entry);
      if (item !== undefined) items.push(item);
      else malformed.push(`Entry ${index + 1} of ${method} has no \`name\`.`);
    }
    if (typeof nextCursor !== 'string' || nextCursor === '') return ended();
    if (cursors.has(nextCursor))
      return { ...ended('the same page is returned repeatedly.'), items: withoutRepeats(items) };
    cursor = nextCursor;
    cursors.add(nextCursor);
  }
  return ended(`there are more than ${mostPages} pages.`);
}

/** Entries that came again with a page that came again are not several entries. */
function withoutRepeats<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

const codesOfEnds = {
  timeout: 'MCP_SERVER_TIMEOUT',
  failed: 'MCP_SERVER_DIED',
  unauthorized: 'MCP_LOGIN_REQUIRED',
} as const;

function unlisted(kind: keyof typeof codesOfEnds, message: string): AssayError {
  return new AssayError(codesOfEnds[kind], `tools/list: ${message}`);
}
