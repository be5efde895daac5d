import { readFileSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import { AssayError, asAssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { openSession } from '../../drive/mcp/open-session.ts';
import { type ServerDefinition, serverDefinitionSchema } from '../../drive/mcp/server-definition.ts';
import type { ToolDefinition } from '../../drive/mcp/session.ts';
import {
  assertWordingFits,
  rewriteTools,
  type ToolRewrites,
  toolRewritesSchema,
} from '../../drive/mcp/tool-rewrites.ts';
import { canonicalJson, isRecord, parseJson } from '../../shared/json.ts';
import { overwrite } from '../../shared/redacted-files.ts';
import { usersText } from '../../shared/redaction/redacted.ts';
import { chooseReference } from './choose-reference.ts';
import type { Improvable, ImprovableSearch } from './improvable.ts';
import { changedSince } from './improvable-files.ts';

/** Name of the server's own wording. */
const ownWording = 'original';
/** Name under which a better wording is written into a file that had none. */
const improvedWording = 'improved';
const timeoutMs = 30_000;

interface WorkflowTarget {
  readonly scenario: Scenario;
  readonly server: ServerDefinition;
  readonly wordings: Readonly<Record<string, ToolRewrites>>;
}

/** The descriptions of the tools of an MCP server and of their arguments, as JSON. */
export async function improvableDescriptions(search: ImprovableSearch): Promise<Improvable> {
  const workflows = search.scenarios.flatMap(workflowIn);
  const worded = workflows.map(({ scenario }) => withOwnWording(scenario));
  const reference = chooseReference(worded, 'description', 'descriptions', search.from ?? onlyOwn(workflows));
  const [first] = workflows;
  if (!first) throw new AssayError('INTERNAL', 'A variant without a workflow was chosen.');
  if (new Set(workflows.map(({ server }) => canonicalJson(server))).size > 1) {
    throw new AssayError('USAGE', 'The scenarios are about several MCP servers.', {
      hint: 'Name the scenarios of one server.',
    });
  }
  const tools = await listTools(first, search);
  const rewrites = first.wordings[reference] ?? {};
  const text = `${JSON.stringify(descriptionsOf(tools, rewrites), null, 2)}\n`;
  const files = [...new Set(workflows.map(({ scenario }) => scenario.file))];
  const written = files.map((file) => ({ file, text: readFileSync(resolve(search.folder, file), 'utf8') }));
  return {
    part: 'description',
    reference,
    file: `descriptions of ${files.join(', ')}`,
    text,
    form: 'JSON: for each tool of an MCP server its `description` and those of its `arguments`, which a model reads to choose tools and to call them. Tools, arguments and names must stay as they are',
    scenarios: worded,
    problemOf: (version) => problemOf(version, tools),
    async withVersions({ target }, versions) {
      const wordings = [...versions].map(([arm, version]) => [
        arm,
        version === text ? rewrites : wordingOf(version, rewrites),
      ]);
      const config = isRecord(target.config) ? target.config : {};
      return { ...target, config: { ...config, wordings: Object.fromEntries(wordings) } };
    },
    async apply(version) {
      const name = reference === ownWording ? improvedWording : reference;
      return Promise.all(written.map((file) => writeWording(file, name, wordingOf(version, rewrites), search.folder)));
    },
  };
}

function workflowIn(scenario: Scenario): WorkflowTarget[] {
  const { type, config } = scenario.target;
  if ((type !== 'mcp-workflow' && type !== 'mcp-agent-workflow') || !isRecord(config)) return [];
  const wordings = isRecord(config.wordings) ? (config.wordings as WorkflowTarget['wordings']) : {};
  return [{ scenario, server: serverDefinitionSchema().parse(config.server), wordings }];
}

/** A file without wordings has the one of its server. */
function withOwnWording(scenario: Scenario): Scenario {
  const variants = scenario.variants.map((variant) => ({ ...variant, description: variant.description ?? ownWording }));
  return { ...scenario, variants };
}

function onlyOwn(workflows: readonly WorkflowTarget[]): string | undefined {
  const hasOthers = workflows.some(({ wordings }) => Object.keys(wordings).length > 0);
  return hasOthers || workflows.length === 0 ? undefined : ownWording;
}

async function listTools(
  { scenario, server }: WorkflowTarget,
  { env, signal }: ImprovableSearch,
): Promise<readonly ToolDefinition[]> {
  await using session = await openSession(server, { directory: scenario.directory, env, timeoutMs, signal });
  return await session.listTools({ timeoutMs, signal });
}

interface Described {
  readonly description: string;
  readonly arguments: Readonly<Record<string, string>>;
}

function descriptionsOf(tools: readonly ToolDefinition[], rewrites: ToolRewrites): Record<string, Described> {
  const worded = rewriteTools(tools, rewrites);
  return Object.fromEntries(
    tools.map(({ name }, index) => {
      const { description, inputSchema } = worded[index] ?? {};
      const properties = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
      const texts = Object.entries(properties).map(([argument, schema]) => [
        argument,
        isRecord(schema) && typeof schema.description === 'string' ? schema.description : '',
      ]);
      return [name, { description: description ?? '', arguments: Object.fromEntries(texts) }];
    }),
  );
}

function problemOf(version: string, tools: readonly ToolDefinition[]): string | undefined {
  const value = parseJson(version);
  if (value === undefined) return 'it is not JSON any more';
  const checked = toolRewritesSchema().safeParse(value);
  if (!checked.success) return `it is not a wording any more: ${checked.error.issues[0]?.message}`;
  if (Object.values(checked.data).some(({ name, title }) => name !== undefined || title !== undefined))
    return 'it renames a tool';
  try {
    assertWordingFits(tools, checked.data);
    return undefined;
  } catch (error) {
    return asAssayError(error).message;
  }
}

/** Names and titles of the wording that it began with stay. */
function wordingOf(version: string, before: ToolRewrites): ToolRewrites {
  const described = toolRewritesSchema().parse(parseJson(version));
  const worded = Object.entries(described).map(([tool, texts]) => [tool, { ...before[tool], ...texts }]);
  return Object.fromEntries(worded);
}

/** Adds the wording to the file, whose other lines stay as they are. */
async function writeWording(
  { file, text }: { readonly file: string; readonly text: string },
  name: string,
  wording: ToolRewrites,
  folder: string,
): Promise<string> {
  const path = resolve(folder, file);
  if (readFileSync(path, 'utf8') !== text) throw changedSince(file);
  const ending = extname(path).toLowerCase();
  if (ending === '.json' || ending === '.jsonc') {
    const { applyEdits, modify } = await import('jsonc-parser');
    const formattingOptions = { insertSpaces: true, tabSize: 2 };
    overwrite(path, usersText(applyEdits(text, modify(text, ['wordings', name], wording, { formattingOptions }))));
  } else if (ending === '.yaml' || ending === '.yml') {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text);
    document.setIn(['wordings', name], document.createNode(wording));
    overwrite(path, usersText(document.toString({ lineWidth: 0 })));
  } else {
    throw new AssayError('USAGE', `${file} is a program, which cannot be changed with --apply.`, {
      hint: 'Copy the changes of the diff by hand.',
    });
  }
  return relative(folder, join(path));
}
