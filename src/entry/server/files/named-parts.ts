import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import * as z from 'zod';
import { findConfig } from '../../../compose/config/find-config.ts';
import { type Config, checkConfig, type Project } from '../../../compose/config/project.ts';
import { AssayError, asAssayError } from '../../../domain/errors.ts';
import { type Problem, ProblemsError } from '../../../domain/problem.ts';
import type { ConnectorKind } from '../../../drive/connectors/connector.ts';
import { type ParsedSource, valueAt } from '../../../load/sources/parsed-source.ts';
import { problemsOf } from '../../../load/sources/schema-problems.ts';
import { decodeText, parseSource } from '../../../load/sources/source-file.ts';
import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { NamedParts as NamedPartsAnswer, ProjectFile, WriteNamedPart } from '../api/project.ts';
import { editValue } from './edit-part.ts';
import { maskValue, unmaskValue } from './masks.ts';
import { readPortrait } from './portraits.ts';
import { type ProjectFiles, revisionOf, type Written } from './project-files.ts';

/** A section of the config whose parts have names. */
export type PartSection = 'personas' | 'connectors' | 'evals';

interface PartsContext {
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: ProjectFiles;
  project(): Promise<Project>;
  /** Problems that the config schema cannot find. */
  problemsOf(name: string, source: ParsedSource): Promise<readonly Problem[]>;
  /** Problems that scenarios would have with this config and do not have now. */
  brokenBy(config: Config): Promise<readonly Problem[]>;
}

const newConfig = 'assay.config.yaml';

/** The named parts of one section of the config. */
export class NamedParts {
  readonly #section: PartSection;
  readonly #context: PartsContext;

  constructor(section: PartSection, context: PartsContext) {
    this.#section = section;
    this.#context = context;
  }

  async read(): Promise<NamedPartsAnswer> {
    const file = this.#file();
    const facts = { file: file ?? null, schema: await this.#schema() };
    if (file === undefined) return { ...facts, revision: null, isEditable: true, whyNot: null, items: [] };
    const whyNot = whyReadOnly(file);
    const bytes = await readFile(join(this.#context.folder, file));
    const parts = isModule(file)
      ? (await this.#context.project()).config[this.#section]
      : sectionIn((await parsedConfig(file, decodeText(file, bytes))).value, this.#section);
    const items = Object.entries(parts).flatMap(([name, value]) =>
      isRecord(value) ? [{ name, value: maskValue(value) }] : [],
    );
    return { ...facts, revision: revisionOf(bytes), isEditable: whyNot === null, whyNot, items };
  }

  async write(name: string, { value, revision }: WriteNamedPart): Promise<Written<NamedPartsAnswer>> {
    return this.#change(name, revision, (before) => {
      const { value: whole, unknown } = unmaskValue(value, before);
      const [path] = unknown;
      if (path === undefined) return whole;
      throw new AssayError(
        'USAGE',
        `There is no secret that the mask in \`${path.map(String).join('.')}\` stands for.`,
        {
          hint: 'Write the name of an environment variable instead: ${NAME}.',
        },
      );
    });
  }

  async delete(name: string, revision: string | null): Promise<Written<NamedPartsAnswer>> {
    const missing = `There is no "${name}" among the ${this.#section} of the config.`;
    return this.#change(name, revision, (before) => {
      if (before === undefined) throw new AssayError('NOT_FOUND', missing, { hint: '' });
      return undefined;
    });
  }

  async #change(
    name: string,
    revision: string | null,
    make: (before: unknown) => unknown,
  ): Promise<Written<NamedPartsAnswer>> {
    const path = this.#file() ?? newConfig;
    const whyNot = whyReadOnly(path);
    if (whyNot !== null) throw new AssayError('USAGE', `${path} cannot be changed from here: ${whyNot}.`);
    assertName(name);
    const written: Written<ProjectFile> = await this.#context.files.edit(
      path,
      { kind: 'config', revision },
      async (current = '') => {
        const parts = sectionIn((await parsedConfig(path, current)).value, this.#section);
        const value = make(Object.hasOwn(parts, name) ? parts[name] : undefined);
        const text = await editValue(path, current, [this.#section, name], value);
        await this.#assertGood(name, await parsedConfig(path, text));
        return text;
      },
    );
    return 'done' in written ? { done: await this.read() } : written;
  }

  async #assertGood(name: string, source: ParsedSource): Promise<void> {
    const { problems, config } = await checkConfig(source, this.#context.env);
    const isThere = Object.hasOwn(sectionIn(source.value, this.#section), name);
    const own = isThere ? await this.#context.problemsOf(name, source) : [];
    if (problems.length + own.length > 0) throw new ProblemsError([...problems, ...own], 'CONFIG_INVALID');
    const broken = isThere || !config ? [] : await this.#context.brokenBy(config);
    if (broken.length > 0) throw new ProblemsError(broken);
  }

  #file(): string | undefined {
    const file = findConfig(this.#context.folder);
    return file !== undefined && dirname(file) === join(this.#context.folder) ? basename(file) : undefined;
  }

  async #schema(): Promise<Record<string, unknown>> {
    const { configSchema } = await import('../../../compose/config/config-schema.ts');
    const { properties } = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' });
    const section = properties?.[this.#section];
    return isRecord(section) && isRecord(section.additionalProperties) ? section.additionalProperties : {};
  }
}

function parsedConfig(path: string, text: string): Promise<ParsedSource> {
  return parseSource(path, text.trim() === '' ? '{}' : text);
}

function sectionIn(value: unknown, section: PartSection): Record<string, unknown> {
  const found = isRecord(value) ? value[section] : undefined;
  return isRecord(found) ? found : {};
}

export function assertName(name: string): void {
  if (name.trim() !== '' && name.length <= 200 && !/[\u0000-\u001f]/.test(name) && name !== '__proto__') return;
  throw new AssayError('USAGE', 'A name has 1 to 200 characters on one line.', { hint: 'Choose another name.' });
}

function isModule(file: string): boolean {
  return /^\.(?:ts|m?js)$/.test(extname(file));
}

function whyReadOnly(file: string): string | null {
  if (isModule(file)) return 'it is a program; edit it where you edit programs';
  if (extname(file) === '.toml') return 'TOML cannot be rewritten without losing its comments; edit the file itself';
  return null;
}

/** Problems of a connector that only its kind can find, not the config schema. */
export function connectorProblems(name: string, source: ParsedSource, kinds: readonly ConnectorKind[]): Problem[] {
  const spec = valueAt(source.value, ['connectors', name]);
  if (!isRecord(spec) || typeof spec.type !== 'string') return [];
  const kind = kinds.find(({ type }) => type === spec.type);
  if (!kind) {
    const types = kinds.map(({ type }) => type);
    const message = `there is no connector type \`${spec.type}\``;
    return [{ at: source.locate(['connectors', name, 'type']), message, hint: suggestion(spec.type, types) }];
  }
  const config = kind.configSchema.safeParse(spec.config ?? {});
  return config.success ? [] : problemsOf(config.error, source, kind.configSchema, ['connectors', name, 'config']);
}

/** Problems of a portrait that the pages could not show. */
export async function portraitProblems(name: string, source: ParsedSource, folder: string): Promise<Problem[]> {
  const path = ['personas', name, 'portrait'];
  const portrait = valueAt(source.value, path);
  if (typeof portrait !== 'string') return [];
  try {
    await readPortrait(folder, portrait);
    return [];
  } catch (error) {
    const { message, hint } = asAssayError(error);
    return [{ at: source.locate(path), message, hint }];
  }
}

/** Problems of an eval: scenarios that do not exist, and a connector that the config does not have. */
export function evalProblems(
  name: string,
  source: ParsedSource,
  scenarios: readonly { readonly name: string }[],
): Problem[] {
  const spec = valueAt(source.value, ['evals', name]);
  if (!isRecord(spec)) return [];
  const names = scenarios.map((scenario) => scenario.name);
  const listed: readonly unknown[] = Array.isArray(spec.scenarios) ? spec.scenarios : [];
  const unknown = listed.flatMap((each, index) =>
    typeof each !== 'string' || names.includes(each)
      ? []
      : [
          {
            at: source.locate(['evals', name, 'scenarios', index]),
            message: `there is no scenario "${each}"`,
            hint: suggestion(each, names),
          },
        ],
  );
  const connectors = Object.keys(
    isRecord(source.value) && isRecord(source.value.connectors) ? source.value.connectors : {},
  );
  const { connector } = spec;
  if (typeof connector !== 'string' || connectors.includes(connector)) return unknown;
  const at = source.locate(['evals', name, 'connector']);
  return [...unknown, { at, message: `there is no connector "${connector}"`, hint: suggestion(connector, connectors) }];
}
