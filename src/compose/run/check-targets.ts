import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ModuleDeclaration, Pattern, Program, Statement } from 'acorn';
import type { Problem } from '../../domain/problem.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { findProgram } from '../../drive/targets/agent-task/find-program.ts';
import type { DataPath } from '../../load/sources/parsed-source.ts';
import { readSource } from '../../load/sources/source-file.ts';
import { isRecord } from '../../shared/json.ts';
import { shellWords } from '../../shared/shell-words.ts';
import { suggestion } from '../../shared/suggest.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Finding = Pick<Problem, 'message' | 'hint'> & { readonly path: DataPath };

/**
 * Looks at the targets of scenarios without running anything: exports that a module does not have are problems,
 * programs that this machine does not have are warnings, because another may run the scenario.
 */
export async function checkTargets(
  scenarios: readonly Scenario[],
  folder: string,
  env: Environment,
): Promise<{ readonly problems: Problem[]; readonly warnings: Problem[] }> {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const scenario of scenarios) {
    const missingExport = await unknownExport(scenario);
    if (missingExport) problems.push(await placed(missingExport, scenario, folder));
    for (const missing of [...uncallablePrograms(scenario, env), ...unknownPrograms(scenario, env)])
      warnings.push(await placed(missing, scenario, folder));
  }
  return { problems, warnings };
}

/** Scenarios in code, and lists in one file, have no such place: their file is named. */
async function placed({ path, ...found }: Finding, { file }: Scenario, folder: string): Promise<Problem> {
  const source = await readSource(file, folder).catch(() => undefined);
  const isObject = isRecord(source?.value) && path[0] !== undefined && path[0] in source.value;
  return { at: source && isObject ? source.locate(path) : { file, line: 1, column: 1 }, ...found };
}

async function unknownExport({ target, directory }: Scenario): Promise<Finding | undefined> {
  const { module, export: wanted } = isRecord(target.config) ? target.config : {};
  if (target.type !== 'module' || typeof module !== 'string' || typeof wanted !== 'string') return undefined;
  const names = /\.m?js$/.test(module) ? await exportedNames(resolve(directory, module)) : undefined;
  if (!names || names.includes(wanted)) return undefined;
  const hint = names.length > 0 ? suggestion(wanted, names) : 'Export the function that is to be called.';
  return { path: ['call', 'export'], message: `${module} does not export \`${wanted}\``, hint };
}

/** Undefined where only running the module would show them: code that does not parse, CommonJS, or exports of others. */
async function exportedNames(file: string): Promise<readonly string[] | undefined> {
  const { parse } = await import('acorn');
  try {
    const { body } = parse(await readFile(file, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    const isModule = body.some(({ type }) => /^(?:Import|Export)/.test(type));
    const passesOn = body.some(({ type }) => type === 'ExportAllDeclaration');
    return isModule && !passesOn ? body.flatMap(namesOf) : undefined;
  } catch {
    return undefined;
  }
}

function namesOf(part: Program['body'][number]): string[] {
  if (part.type === 'ExportDefaultDeclaration') return ['default'];
  if (part.type !== 'ExportNamedDeclaration') return [];
  const listed = part.specifiers.map(({ exported }) =>
    exported.type === 'Identifier' ? exported.name : String(exported.value),
  );
  return [...listed, ...declaredNames(part.declaration)];
}

function declaredNames(declaration: Statement | ModuleDeclaration | null | undefined): string[] {
  if (declaration?.type === 'VariableDeclaration') return declaration.declarations.flatMap(({ id }) => boundNames(id));
  const isNamed = declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration';
  return isNamed && declaration.id ? [declaration.id.name] : [];
}

function boundNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((part) => boundNames(part.type === 'RestElement' ? part : part.value));
    case 'ArrayPattern':
      return pattern.elements.flatMap((part) => (part ? boundNames(part) : []));
    case 'RestElement':
      return boundNames(pattern.argument);
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    default:
      return [];
  }
}

/** The program of a call, where its command begins with one and is nothing but one program with its arguments. */
function uncallablePrograms({ target, directory }: Scenario, { PATH: path }: Environment): Finding[] {
  const { command, env } = isRecord(target.config) ? target.config : {};
  const hasOwnPath = isRecord(env) && 'PATH' in env;
  if (target.type !== 'command' || typeof command !== 'string' || path === undefined || hasOwnPath) return [];
  const program = /^([\w./+-]+)(?:\s[^;|&()<>\n]*)?$/.exec(command.trim())?.[1];
  if (program === undefined || shellWords.has(program)) return [];
  const problem = whyNotFound(program, { folders: program.includes('/') ? [directory] : [], path });
  if (!problem) return [];
  const isThere = problem.message.endsWith('is not executable.');
  const hint = isThere ? problem.hint : 'Install it, or correct the command; its path is relative to the scenario.';
  return [{ path: ['call', 'command'], message: problem.message, ...(hint !== undefined && { hint }) }];
}

/** Programs of a task that this machine does not have: the tool, and the MCP servers of the agent. */
function unknownPrograms({ target, directory }: Scenario, { PATH: path }: Environment): Finding[] {
  const config = isRecord(target.config) ? target.config : {};
  const { binary, template, setup, image, dockerfile, isolation, mcpServers } = config;
  const isElsewhere = image !== undefined || dockerfile !== undefined || isolation === 'container';
  const isInstalled = Array.isArray(setup) && setup.length > 0;
  if (target.type !== 'cli-tool' || path === undefined || isElsewhere || isInstalled) return [];
  const folders = [directory, ...(typeof template === 'string' ? [template] : [])];
  const servers = Object.entries(isRecord(mcpServers) ? mcpServers : {}).map(
    ([name, server]) => [['mcp_servers', name, 'command'], isRecord(server) ? server.command : undefined] as const,
  );
  return [[['target', 'binary'], binary] as const, ...servers].flatMap(([place, program]): Finding[] => {
    if (typeof program !== 'string' || program.includes('${')) return [];
    const problem = whyNotFound(program, { folders, path });
    if (!problem) return [];
    const [section, name] = place;
    if (section === 'target') return [{ path: place, ...problem }];
    const hint = `Install it, or correct the command of "${name}"; its path is relative to the scenario.`;
    return [{ path: place, message: problem.message, hint }];
  });
}

function whyNotFound(...searched: Parameters<typeof findProgram>): Pick<Problem, 'message' | 'hint'> | undefined {
  try {
    findProgram(...searched);
    return undefined;
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string };
    return { message, ...(hint !== undefined && { hint }) };
  }
}
