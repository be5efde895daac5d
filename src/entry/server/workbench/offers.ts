import { asAssayError } from '../../../domain/errors.ts';
import type { McpRequestOptions, McpSession } from '../../../drive/mcp/session.ts';
import { isRecord } from '../../../shared/json.ts';
import type { WorkbenchSessionDetail } from '../api/workbench.ts';

/** Everything that a server offers, by kind. */
export type Offers = Pick<WorkbenchSessionDetail, 'tools' | 'prompts' | 'resources' | 'resourceTemplates'>;
type Offered = Offers['tools'];

const none: Offered = { items: [], problem: null };
export const noOffers: Offers = { tools: none, prompts: none, resources: none, resourceTemplates: none };

const mostPages = 200;
const mostItems = 10_000;
const methodNotFound = -32_601;

/** Lists all that a server says it has; a list that fails leaves the others as they are. */
export async function listOffers(session: McpSession, options: McpRequestOptions): Promise<Offers> {
  const { capabilities } = session.facts;
  const list = (capability: string, method: string, key: string): Promise<Offered> =>
    isRecord(capabilities[capability]) ? listAll(session, method, key, options) : Promise.resolve(none);
  return {
    tools: await list('tools', 'tools/list', 'tools'),
    prompts: await list('prompts', 'prompts/list', 'prompts'),
    resources: await list('resources', 'resources/list', 'resources'),
    resourceTemplates: await list('resources', 'resources/templates/list', 'resourceTemplates'),
  };
}

async function listAll(session: McpSession, method: string, key: string, options: McpRequestOptions): Promise<Offered> {
  const items: Record<string, unknown>[] = [];
  const ended = (problem: string | null = null): Offered => ({ items, problem });
  const cursors = new Set<string>();
  try {
    for (let cursor: string | undefined; cursors.size < mostPages && items.length < mostItems; ) {
      const answer = await session.request(method, cursor === undefined ? {} : { cursor }, options);
      if (answer.kind === 'error') {
        // Templates are a part of resources that many servers leave out.
        const isOptional = answer.code === methodNotFound && key === 'resourceTemplates';
        return ended(isOptional ? null : `${method} was answered with the error ${answer.code}: ${answer.message}`);
      }
      const { [key]: page, nextCursor } = answer.result;
      if (!Array.isArray(page)) return ended(`The answer to ${method} has no list of \`${key}\`.`);
      items.push(...page.filter(isRecord));
      if (typeof nextCursor !== 'string' || nextCursor === '') return ended();
      if (cursors.has(nextCursor)) return ended(`${method} returned the same page repeatedly.`);
      cursor = nextCursor;
      cursors.add(nextCursor);
    }
    return ended(`${method} has more than ${mostPages} pages or ${mostItems} entries.`);
  } catch (error) {
    return ended(asAssayError(error).message);
  }
}
