/** A piece of code that does what the page does. */
export interface Snippet {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

interface SnippetSubject {
  /** Relative to the project. */
  readonly file: string;
  /** The scenario to run, where the file has several; undefined: the whole file. */
  readonly scenario: string | undefined;
  /** The address of the server. */
  readonly origin: string;
}

/** How a scenario file is run from a shell, over HTTP and from a program. */
export function snippetsOf({ file, scenario, origin }: SnippetSubject): Snippet[] {
  const request = { paths: [file], ...(scenario === undefined ? {} : { scenario }) };
  const choice = scenario === undefined ? '' : ` --scenario=${shellWord(scenario)}`;
  return [
    {
      title: 'Command line',
      about: 'In the folder of the project. The exit code is 0 if every trial passed, 1 if one failed.',
      text: `assay run ${shellWord(shellPath(file))}${choice}`,
    },
    {
      title: 'REST',
      about: 'ASSAY_SERVE_TOKEN is a token with the role runner; the answer has the id of the run.',
      text: `curl -sf -H "Authorization: Bearer $ASSAY_SERVE_TOKEN" -H 'Content-Type: application/json' \\
  -d ${shellWord(JSON.stringify(request))} \\
  ${origin}/api/runs`,
    },
    {
      title: 'Library',
      about: 'A module of a project that has Assay installed.',
      text: `import { openProject, openStore, runProject } from 'assay';

const project = await openProject(process.cwd(), process.env);
const run = await runProject({
  project,
  openStore: () => openStore(project.config.store, project.folder),
  request: ${JSON.stringify(request)},
  env: process.env,
});
console.log(run.summary.outcome, run.summary.reason);
await run[Symbol.asyncDispose]();`,
    },
  ];
}

/** A path that is never taken for an option. */
function shellPath(path: string): string {
  return path.startsWith('-') ? `./${path}` : path;
}

/** A word of a POSIX shell; quoted where it has characters with a meaning. */
function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
