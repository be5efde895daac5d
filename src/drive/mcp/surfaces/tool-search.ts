import * as z from 'zod';
import { isRecord } from '../../../shared/json.ts';
import type { ModelTool, ModelToolCall } from '../../models/model.ts';
import { serverCall } from './call-tool.ts';
import type { Surface, SurfaceCall } from './make-surface.ts';
import type { OfferedTools } from './offered-tools.ts';

/** A tool as it is found by a search. */
interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
}

const usualFound = 5;
const mostFound = 20;
const nameWeight = 3;

/** The two tools that stand for all others where a model has to search. */
const searchTools = {
  find: {
    name: 'find_tools',
    description:
      'Finds tools by what they do. Returns the names, descriptions and arguments of the best matches, which can then be called with call_tool.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'what the tool should do, in a few words' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: mostFound,
          description: `most results, ${usualFound} by default`,
        },
      },
      required: ['query'],
    },
  },
  call: {
    name: 'call_tool',
    description: 'Calls a tool that find_tools found, and returns its result.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'name of the tool, as find_tools gave it' },
        arguments: { type: 'object', description: 'arguments as the inputSchema of the tool wants them' },
      },
      required: ['name'],
    },
  },
} as const;

const queryText = z.string().refine((query) => query.trim() !== '');
const querySchema = z.object({ query: queryText, limit: z.int().min(1).max(mostFound).default(usualFound) });

/** The answer to a search as text for the model; an error says what is wrong with the question. */
function answerSearch(tools: readonly FoundTool[], input: unknown): { readonly text: string; readonly error?: string } {
  const question = querySchema.safeParse(input).data;
  if (!question) {
    const error = `\`query\` must be a text, and \`limit\` a number from 1 to ${mostFound}.`;
    return { text: `Error: ${error}`, error };
  }
  const found = findTools(tools, question.query, question.limit);
  if (found.length === 0) return { text: `No tool matches. There are ${tools.length} tools; try other words.` };
  return {
    text: JSON.stringify(found.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  };
}

/** The tools that share most with a query; rare words count more, and those of a name most. */
function findTools(tools: readonly FoundTool[], query: string, limit: number): FoundTool[] {
  const texts = tools.map((tool) => ({
    tool,
    name: new Set(wordsOf(tool.name)),
    all: new Set(wordsOf(`${tool.name} ${tool.description}`)),
  }));
  const wanted = [...new Set(wordsOf(query))];
  const weights = wanted.map((word) =>
    Math.log(1 + tools.length / (1 + texts.filter(({ all }) => all.has(word)).length)),
  );
  return texts
    .map(({ tool, name, all }) => ({
      tool,
      score: wanted.reduce((sum, word, index) => {
        const share = name.has(word) ? nameWeight : all.has(word) ? 1 : 0;
        return sum + share * (weights[index] ?? 0);
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ tool }) => tool);
}

/** Words in lower case without a plural ending. */
function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word));
}

/** Two tools stand for all: one finds others, the other calls them. */
export class SearchSurface implements Surface {
  readonly forModel: readonly ModelTool[] = [searchTools.find, searchTools.call];
  readonly #offered: OfferedTools;

  constructor(offered: OfferedTools) {
    this.#offered = offered;
  }

  get renamed(): readonly string[] {
    return this.#offered.renamed;
  }

  read(call: ModelToolCall): SurfaceCall {
    const { tool, input, callId } = call;
    if (tool === searchTools.find.name)
      return { kind: 'search', run: async () => answerSearch(this.#offered.forModel, input) };
    // A model that calls a tool it found by its name means the same.
    if (tool !== searchTools.call.name) return { kind: 'server', call: serverCall(call, this.#offered) };
    const { name, arguments: given } = isRecord(input) ? input : {};
    if (typeof name !== 'string') {
      const refusal = '`name` must be the name of a tool.';
      return { kind: 'server', call: { tool: searchTools.call.name, input, refusal } };
    }
    return { kind: 'server', call: serverCall({ callId, tool: name, input: given }, this.#offered) };
  }
}
