/** A kind of text that differs between two runs of the same agent on the same task. */
interface VolatileText {
  readonly name: string;
  readonly pattern: RegExp;
  readonly becomes: string;
  readonly example: string;
}

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?';
const weekday = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?';
const year = '20\\d\\d';

/** Replaced in every text of a request, in this order, before it is compared with a recorded one. */
export const volatileTexts: readonly VolatileText[] = [
  {
    name: 'state of a Git repository that an agent puts into its prompt',
    pattern: /gitStatus: [\s\S]*?(?=\n\n#|\n<\/|$)/g,
    becomes: 'gitStatus: <git status>',
    example: 'gitStatus: … Recent commits: 1f0c2ab Start',
  },
  {
    name: 'build of Claude Code in its system prompt',
    pattern: /\b(cc_version|cch)=[\w.-]+/g,
    becomes: '$1=<version>',
    example: 'cc_version=2.1.197.e0a',
  },
  {
    name: 'UUID',
    pattern: /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/gi,
    becomes: '<uuid>',
    example: '0b5cbe7e-3a52-4f1e-9d0c-5f6d1f6a3c11',
  },
  {
    name: 'long hexadecimal number: a hash, or a random name',
    pattern: /(?<![0-9a-f])[0-9a-f]{24,}(?![0-9a-f])/gi,
    becomes: '<hex>',
    example: '9f86d081884c7d659a2feaa0c55ad015',
  },
  {
    name: 'date with time',
    pattern: new RegExp(
      `\\b${year}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?(?: ?(?:Z|[+-]\\d\\d:?\\d\\d))?`,
      'g',
    ),
    becomes: '<time>',
    example: '2026-03-01T10:15:30.123Z',
  },
  {
    name: 'date',
    pattern: new RegExp(`\\b(?:${year}[-/]\\d\\d?[-/]\\d\\d?|\\d\\d?[/.]\\d\\d?[/.]${year})\\b`, 'g'),
    becomes: '<date>',
    example: '2026-03-01, 3/1/2026',
  },
  {
    name: 'date in words',
    pattern: new RegExp(
      `\\b${weekday}(?:${month} +\\d{1,2}(?:,? ${year}| +\\d\\d:\\d\\d(?! *:?\\d))|\\d{1,2}\\.? ${month} ${year})\\b`,
      'g',
    ),
    becomes: '<date>',
    example: 'Sunday, March 1, 2026; Mar 1 10:15',
  },
  {
    name: 'time of day',
    pattern: /\b\d{1,2}:\d\d:\d\d(?:\.\d+)?(?: ?[AP]M\b)?(?: (?:GMT|UTC)(?:[+-]\d{1,4})?)?/g,
    becomes: '<time>',
    example: '10:15:30',
  },
  {
    name: 'seconds or milliseconds since 1970',
    pattern: /(?<![\w.])1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?(?!\w)/g,
    becomes: '<time>',
    example: '1772360130123',
  },
  {
    name: 'measured duration',
    pattern: /(?<![\w.])(?:\d+\.\d+ ?(?:s|secs?|seconds)|\d+(?:\.\d+)? ?(?:ms|milliseconds))\b/g,
    becomes: '<duration>',
    example: '0.0512 seconds, 12 ms',
  },
  {
    name: 'number of a process',
    pattern: /\b(pids?|pgid|process id|process group)\b(["']?[:=]? ?)\d+/gi,
    becomes: '$1$2<number>',
    example: 'Process Group PGID: 4711',
  },
  {
    name: 'port on this machine',
    pattern: /(127\.0\.0\.1|\blocalhost|\[::1\]):\d{2,5}\b/g,
    becomes: '$1:<port>',
    example: 'http://127.0.0.1:40123',
  },
  {
    name: 'number of a piece of output, as Codex prints it',
    pattern: /\bChunk ID: \w+/g,
    becomes: 'Chunk ID: <id>',
    example: 'Chunk ID: 3fa2b1',
  },
  {
    name: 'name of a temporary file',
    pattern: /\b(tmp[.-]|claude-)[A-Za-z0-9]{4,12}\b(?=-cwd\b|\/|$|[\s"'`])/g,
    becomes: '$1<id>',
    example: 'tmp.Xa81kPq0',
  },
  {
    name: 'version of the kernel',
    pattern: /\b(Linux|Darwin) \d+\.\d+[\w.+-]*/g,
    becomes: '$1 <version>',
    example: 'Linux 6.1.0-18-amd64',
  },
];

/** A field that says nothing about the conversation. */
interface VolatileField {
  readonly key: string;
  /** Anywhere, or only at the top of the request. */
  readonly where: 'anywhere' | 'top';
  readonly reason: string;
}

/** Left out of every request before it is compared with a recorded one. */
export const volatileFields: readonly VolatileField[] = [
  { key: 'cache_control', where: 'anywhere', reason: 'marks what the provider is to cache' },
  { key: 'metadata', where: 'top', reason: 'names the user and the session' },
  { key: 'client_metadata', where: 'top', reason: 'names the installation' },
  { key: 'prompt_cache_key', where: 'top', reason: 'names the session' },
  { key: 'session_id', where: 'top', reason: 'names the session' },
  { key: 'safety_identifier', where: 'top', reason: 'names the user' },
  { key: 'user', where: 'top', reason: 'names the user' },
];
