import { describeGap } from '../../domain/coverage-text.ts';
import { AssayError } from '../../domain/errors.ts';
import { eventsOf, type TraceEvent, type TraceEventOf, type UnstampedEvent } from '../../domain/trace.ts';
import { counted } from '../../shared/format.ts';
import { suggestion } from '../../shared/suggest.ts';
import { type FoundImport, type ImportProblems, problemIn } from './find-files.ts';
import { importFormats } from './formats/index.ts';
import type { ImportedTrial, ImportFormat } from './import-format.ts';
import { type ImportOptions, ImportSource } from './import-source.ts';
import { lost } from './losses.ts';
import { readSample, type Sample } from './sample.ts';

/** A format, or the problem with the file. */
type Choice =
  | { readonly format: ImportFormat }
  | { readonly problem: string; readonly isWarning: boolean; readonly hint?: string };

/** The format with this name; undefined for `auto`. */
export function formatNamed(name: string): ImportFormat | undefined {
  if (name === 'auto') return undefined;
  const found = importFormats.find((format) => format.name === name);
  if (found) return found;
  const names = ['auto', ...importFormats.map((format) => format.name)];
  throw new AssayError('USAGE', `There is no format "${name}".`, { hint: suggestion(name, names) });
}

/** Chooses the format by the beginning of a file. In a folder, only files named as transcripts are read as text. */
export function chooseFormat(sample: Sample, found: FoundImport, wanted: ImportFormat | undefined): Choice {
  if (sample.isEmpty) return { problem: 'the file is empty', isWarning: !found.isNamed };
  const candidates = importFormats.filter(({ isBinary = false }) => isBinary === sample.isBinary);
  if (wanted && candidates.includes(wanted)) return { format: wanted };
  const format = wanted ? undefined : candidates.find((candidate) => candidate.recognises(sample));
  if (format && (format.name !== 'text' || isTranscript(found) || (found.isNamed && !isSettings(found))))
    return { format };
  const isWarning = !found.isNamed;
  if (sample.isBinary) return { problem: 'not a text file', isWarning };
  if (wanted) return { problem: `not a file of the format ${wanted.name}: it is text`, isWarning };
  return { problem: unknownFormat(sample), isWarning, ...(found.isNamed && { hint: formatsHint() }) };
}

/** Names the members of a file, and those that it lacks of the formats that it resembles. */
function unknownFormat(sample: Sample): string {
  const lacking = importFormats.flatMap((format) => {
    const lack = format.lacks?.(sample);
    return lack === undefined ? [] : [`${format.name} needs ${lack}`];
  });
  const [first] = sample.objects;
  const members = Object.keys(first ?? {}).slice(0, mostMembers);
  const present = members.length > 0 ? [`it has ${members.map((name) => `\`${name}\``).join(', ')}`] : [];
  return ['unknown format', [...present, ...lacking].join('; ')].filter((part) => part !== '').join(': ');
}

function formatsHint(): string {
  return `Set it with \`--format\`: ${importFormats.map(({ name }) => name).join(', ')}.`;
}

const mostMembers = 8;

function isTranscript({ file }: FoundImport): boolean {
  return /transcript[^/\\]*\.(?:txt|log)$|\.log$/i.test(file);
}

/** Files of settings and code are text too, but not transcripts; `--format text` still reads them. */
function isSettings({ file }: FoundImport): boolean {
  return /\.(?:ya?ml|toml|[cm]?[jt]sx?)$/i.test(file);
}

/** A file with its format. */
export interface ReadableFile {
  readonly found: FoundImport;
  readonly format: ImportFormat;
  readonly options?: ImportOptions | undefined;
}

interface FilesToRead {
  readonly files: readonly FoundImport[];
  /** Undefined: detected for each file. */
  readonly format: ImportFormat | undefined;
  readonly options?: ImportOptions | undefined;
  readonly problems: Pick<ImportProblems, 'add'>;
}

/** The readable files; problems of the others are reported. */
export async function readableFiles({
  files,
  format: wanted,
  options,
  problems,
}: FilesToRead): Promise<ReadableFile[]> {
  const readable: ReadableFile[] = [];
  const paths = files.map(({ path }) => path);
  for (const found of files) {
    try {
      const sample = await readSample(found.path, found.file, found.bytes);
      const choice = chooseFormat(sample, found, wanted);
      if ('format' in choice) {
        const readWith = await choice.format.readWith?.(found.path, paths);
        if (readWith === undefined) readable.push({ found, format: choice.format, options });
      } else problems.add({ ...problemIn(found, choice.problem, choice.isWarning), hint: choice.hint });
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code ?? String(error);
      problems.add(problemIn(found, `it could not be read (${reason})`, false));
    }
  }
  return readable;
}

/** The trials of a file; an unreadable rest is reported, and so are the gaps of each trial. */
export async function* trialsOf(
  { found, format, options }: ReadableFile,
  problems: Pick<ImportProblems, 'add'>,
): AsyncGenerator<ImportedTrial, void> {
  const { file, path, bytes } = found;
  const source = new ImportSource({ file, path, bytes, problems, options });
  try {
    for await (const read of format.read(source)) {
      const trial = withReports(source.hasInvalidText ? withInvalidText(read) : read, format);
      const gaps = eventsOf(trial.trace, 'gap');
      if (gaps[0]) source.warning(trial.line, gapsText(gaps[0], gaps.length));
      yield trial;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    source.problem(1, `it could not be read to the end (${code})`);
  }
}

function gapsText(first: TraceEventOf<'gap'>, count: number): string {
  return `the trial is not complete: ${describeGap(first)}${count > 1 ? `; and ${counted(count - 1, 'more gap')}` : ''}`;
}

function withInvalidText(trial: ImportedTrial): ImportedTrial {
  const reason = 'the file has bytes that are not UTF-8';
  return withEvent(trial, { type: 'gap', seenBy: 'engine', channels: [...lost.message], reason });
}

function withEvent(trial: ImportedTrial, event: UnstampedEvent & Pick<TraceEvent, 'seenBy'>): ImportedTrial {
  const at = trial.trace.at(-1)?.at ?? 0;
  return { ...trial, trace: [...trial.trace, { ...event, at } as TraceEvent] };
}

/** Adds the facts that its format records, unless the trace declares its own: a file may mix sessions of several agents. */
function withReports(trial: ImportedTrial, format: ImportFormat): ImportedTrial {
  const reports = trial.reports ?? format.reports;
  const declaresOwn = eventsOf(trial.trace, 'agent-started').some((event) => event.reports !== undefined);
  if (reports.length === 0 || declaresOwn) return trial;
  return withEvent(trial, { type: 'reports', seenBy: 'engine', what: [...reports] });
}
