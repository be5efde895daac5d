import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Scenario } from '../../domain/scenario.ts';
import { parseSkill } from '../../domain/skill.ts';
import { type CliToolConfig, cliToolConfigSchema } from '../../drive/targets/agent-task/task-config.ts';
import { textOf } from '../../drive/workspace/file-diff.ts';
import { overwrite } from '../../shared/redacted-files.ts';
import { usersText } from '../../shared/redaction/redacted.ts';
import { chooseReference } from './choose-reference.ts';
import type { Improvable, ImprovableSearch } from './improvable.ts';

/** A file or folder that is laid down for the agent, and the file in it that is improved; both absolute. */
interface LaidDown {
  readonly root: string;
  readonly file: string;
}

const instructionFiles = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'];

/** Guidance of agents: a file, or a folder with one instruction file. */
export function improvableGuidance(search: ImprovableSearch): Improvable {
  const scenarios = agentTasks(search.scenarios).filter(({ config }) => Object.keys(config.guidance).length > 0);
  const reference = chooseReference(
    scenarios.map(({ scenario }) => scenario),
    'guidance',
    'guidance',
    search.from,
  );
  const having = scenarios.filter(({ config }) => config.guidance[reference] !== undefined);
  const laid = onlyOne(
    having.map(({ config }) => guidanceAt(config.guidance[reference] ?? '')),
    `guidance "${reference}"`,
    search.folder,
  );
  return filesOf(laid, search, {
    part: 'guidance',
    reference,
    scenarios: having.map(({ scenario }) => scenario),
    form: 'Markdown instructions that a coding agent reads before it begins its task',
    problemOf: () => undefined,
    withPaths: (config, paths) => ({ ...config, guidance: Object.fromEntries(paths) }),
  });
}

/** The SKILL.md of a skill. */
export function improvableSkill(search: ImprovableSearch): Improvable {
  const scenarios = agentTasks(search.scenarios).filter(({ config }) => Object.keys(config.skills).length > 0);
  const reference = chooseReference(
    scenarios.map(({ scenario }) => scenario),
    'skills',
    'skill',
    search.from,
  );
  const having = scenarios.filter(({ config }) => config.skills[reference]?.length === 1);
  if (having.length === 0) {
    throw new AssayError('USAGE', `The variant "${reference}" does not have exactly one skill.`, {
      hint: 'Name a variant with one skill with --from.',
    });
  }
  const laid = onlyOne(
    having.map(({ config }) => skillAt(config.skills[reference]?.[0]?.folder ?? '')),
    `skill "${reference}"`,
    search.folder,
  );
  const name = having[0]?.config.skills[reference]?.[0]?.name ?? '';
  return filesOf(laid, search, {
    part: 'skills',
    reference,
    scenarios: having.map(({ scenario }) => scenario),
    form: 'the SKILL.md of a skill: front matter with `name` and `description`, which decides when a coding agent uses it, and instructions. The name must stay as it is',
    problemOf: (text) => skillProblem(text, name),
    withPaths: (config, paths) => ({
      ...config,
      skills: Object.fromEntries(paths.map(([arm, folder]) => [arm, [{ name, folder }]])),
    }),
  });
}

interface FilesChoice extends Pick<Improvable, 'part' | 'reference' | 'scenarios' | 'form' | 'problemOf'> {
  withPaths(config: CliToolConfig, paths: readonly (readonly [arm: string, path: string])[]): CliToolConfig;
}

function filesOf({ root, file }: LaidDown, search: ImprovableSearch, choice: FilesChoice): Improvable {
  const { withPaths, ...found } = choice;
  const ownPath = relative(search.folder, file);
  const text = textOf(readFileSync(file));
  if (text === undefined) throw new AssayError('FILE_INVALID', `${ownPath} is not a text file.`);
  return {
    ...found,
    file: ownPath,
    text,
    async withVersions({ target }, versions) {
      const config = cliToolConfigSchema.parse(target.config);
      const paths = [...versions].map(([arm, version]) => {
        if (arm === found.reference && version === text) return [arm, root] as const;
        return [arm, writeVersion({ root, file }, join(search.versionsFolder, arm), version)] as const;
      });
      return { ...target, config: withPaths(config, paths) };
    },
    async apply(version) {
      if (textOf(readFileSync(file)) !== text) throw changedSince(ownPath);
      overwrite(file, usersText(version));
      return [ownPath];
    },
  };
}

/** A copy of all that is laid down, with another version of the file. */
function writeVersion({ root, file }: LaidDown, folder: string, version: string): string {
  const copy = join(folder, basename(root));
  const changed = root === file ? copy : join(copy, relative(root, file));
  if (existsSync(changed) && readFileSync(changed, 'utf8') === version) return copy;
  mkdirSync(dirname(copy), { recursive: true });
  if (root !== file) cpSync(root, copy, { recursive: true });
  overwrite(changed, usersText(version));
  return copy;
}

function agentTasks(scenarios: readonly Scenario[]) {
  return scenarios.flatMap((scenario) =>
    scenario.target.type === 'cli-tool'
      ? [{ scenario, config: cliToolConfigSchema.parse(scenario.target.config) }]
      : [],
  );
}

function guidanceAt(path: string): LaidDown {
  const root = realpathSync(path);
  if (!statSync(root).isDirectory()) return { root, file: root };
  const files = instructionFiles.map((name) => join(root, name)).filter((file) => existsSync(file));
  const [file, ...others] = files;
  if (file !== undefined && others.length === 0) return { root, file };
  throw new AssayError('USAGE', `${path} has ${files.length} instruction files; one can be improved at a time.`, {
    hint: `Name a single file as guidance, or leave one of ${instructionFiles.join(', ')} in the folder.`,
  });
}

function skillAt(folder: string): LaidDown {
  const root = realpathSync(folder);
  return { root, file: join(root, 'SKILL.md') };
}

function skillProblem(text: string, name: string): string | undefined {
  const skill = parseSkill(text);
  if ('problem' in skill) return `SKILL.md ${skill.problem}`;
  return skill.name === name ? undefined : `the name of the skill became "${skill.name}"`;
}

function onlyOne(places: readonly LaidDown[], label: string, folder: string): LaidDown {
  const files = new Map(places.map((place) => [place.file, place]));
  const [first, second] = [...files.values()];
  if (first && !second) return first;
  const names = [...files.keys()].map((file) => relative(folder, file)).join(', ');
  throw new AssayError('USAGE', `The ${label} is a different file in different scenarios: ${names}.`, {
    hint: 'Name scenarios that have the same file.',
  });
}

/** A file must not lose changes that the user made meanwhile. */
export function changedSince(file: string): AssayError {
  return new AssayError('RUN_CHANGED', `${file} was changed since the improvement began.`, {
    hint: 'Copy the changes of the diff by hand.',
  });
}
