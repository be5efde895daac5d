import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import * as z from 'zod';
import type { ServiceSpec } from '../../../../drive/workspace/service-spec.ts';
import { isRecord } from '../../../../shared/json.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { readSource } from '../../../sources/source-file.ts';
import type { FileReading } from '../tolerant-parse.ts';
import {
  buildOf,
  type ComposeReading,
  isFilledIn,
  isPlainBuild,
  type Service,
  serviceSchema,
  specOf,
  unsupportedIn,
  variablesOf,
  writtenOf,
} from './compose-service.ts';
import type { UnsupportedPart } from './task-folder.ts';

/** The services of a task, as far as trials can have them. */
interface ComposeFile {
  readonly services: readonly ServiceSpec[];
  /** Of the container of the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly image?: string | undefined;
  readonly dockerfile?: string | undefined;
  readonly unsupported: readonly UnsupportedPart[];
}

/** The service of the agent in tasks of Harbor, which need not list it. */
export const harborMain = 'main';

const nothing: ComposeFile = { services: [], env: {}, unsupported: [] };

const ofMain: ReadonlySet<string> = new Set([
  'build',
  'command',
  'container_name',
  'image',
  'depends_on',
  'environment',
]);

/** Reads the compose file of a task; `main` is the name of the service that the agent works in. */
export async function readCompose(name: string, main: string, { context, found }: FileReading): Promise<ComposeFile> {
  const path = join(context.directory, name);
  if (!existsSync(path)) return nothing;
  const source = await readSource(relative(context.folder, path), context.folder);
  const services = isRecord(source.value) ? source.value.services : undefined;
  const parsed = z
    .record(
      z.string(),
      z.preprocess((value) => value ?? {}, serviceSchema()),
    )
    .safeParse(services);
  if (!isRecord(services)) {
    return { ...nothing, unsupported: [{ at: source.locate(['services']), subject: 'an unknown list of services' }] };
  }
  if (!parsed.success) {
    found.problems.push(...problemsOf(parsed.error, source, serviceSchema(), ['services']));
    return nothing;
  }
  const names = Object.keys(parsed.data);
  // Programs of the first generation found their only container under any name.
  const ofAgent = !names.includes(main) && main !== harborMain && names.length === 1 ? names[0] : main;
  const reading = { source, folder: dirname(path), all: parsed.data };
  const others = names.filter((one) => one !== ofAgent);
  warnOfIgnored(ofAgent ?? '', reading, found);
  const parts = [...others.flatMap((one) => unsupportedIn(one, reading)), ...unsupportedBuild(ofAgent ?? '', reading)];
  if (parts.length > 0) return { ...nothing, unsupported: parts };
  return {
    ...mainOf(reading.all[ofAgent ?? ''], reading),
    services: inOrder(others, reading).map((one) => specOf(one, reading)),
    unsupported: [],
  };
}

function warnOfIgnored(name: string, { source, all }: ComposeReading, found: FileReading['found']): void {
  for (const [key, value] of Object.entries(writtenOf(source, name))) {
    if (ofMain.has(key) || !(key in (all[name] ?? {})) || isFilledIn(value)) continue;
    const message = `\`services.${name}.${key}\` is not supported and is ignored`;
    found.warnings.push({ at: source.locate(['services', name, key]), message });
  }
}

/** An image of the agent that a part of a Dockerfile makes, or files of another folder. */
function unsupportedBuild(name: string, { source, folder, all }: ComposeReading): UnsupportedPart[] {
  const { build } = all[name] ?? {};
  if (build === undefined || isFilledIn(build)) return [];
  const { dockerfile, context, buildArguments } = buildOf(build, folder);
  const isPlain = isPlainBuild(build) && dirname(dockerfile) === context && Object.keys(buildArguments).length === 0;
  const at = source.locate(['services', name, 'build']);
  return isPlain ? [] : [{ at, subject: `\`services.${name}.build\` of its compose file` }];
}

function mainOf(
  service: Service | undefined,
  { folder }: ComposeReading,
): Pick<ComposeFile, 'env' | 'image' | 'dockerfile'> {
  const { build, image, environment = {} } = service ?? {};
  const env = Object.fromEntries(Object.entries(variablesOf(environment)).filter(([, value]) => !isFilledIn(value)));
  if (build !== undefined && !isFilledIn(build)) return { env, dockerfile: buildOf(build, folder).dockerfile };
  return { env, ...(build === undefined && image !== undefined && !isFilledIn(image) && { image }) };
}

/** Services after those that they wait for. */
function inOrder(names: readonly string[], { all }: ComposeReading): string[] {
  const ordered: string[] = [];
  const visit = (name: string, waiting: readonly string[]): void => {
    if (ordered.includes(name) || waiting.includes(name) || !names.includes(name)) return;
    for (const other of dependenciesOf(all[name])) visit(other, [...waiting, name]);
    ordered.push(name);
  };
  for (const name of names) visit(name, []);
  return ordered;
}

function dependenciesOf(service: Service | undefined): string[] {
  const { depends_on: on = [] } = service ?? {};
  return Array.isArray(on) ? on : Object.keys(on);
}
