import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Functions of `node:fs` that put bytes into a file. */
const writing =
  /^(?:writeFile|appendFile|createWriteStream|write|writev|writeSync|writevSync|writeFileSync|appendFileSync|openSync|open|copyFile|copyFileSync|cp|cpSync)$/;

/** Modules that open files only to read them. */
const readers = [
  'src/drive/agents/scripted/holds.ts',
  'src/drive/agents/session-usage.ts',
  'src/drive/interposer/cover.ts',
  'src/drive/recorder/calls-folder.ts',
  'src/drive/targets/agent-task/choose-visible-files.ts',
  'src/drive/targets/agent-task/instruction-patterns.ts',
  'src/drive/tool-control/cli/given-files.ts',
  'src/drive/workspace/reward-files.ts',
  'src/drive/workspace/snapshot.ts',
  'src/entry/server/trials/artifacts.ts',
  'src/features/backend-state/sources/folder.ts',
  'src/features/reuse/program-inputs.ts',
  'src/keep/bundles/chunks.ts',
  'src/load/imports/sample.ts',
  'src/load/imports/zip-file.ts',
  'src/load/scenarios/discover.ts',
  'src/score/evaluators/assertions/judge/work-folder.ts',
  'src/score/evaluators/gates/work-file.ts',
  'src/shared/processes/process-tree.ts',
];

/** Modules that write other things than texts of runs, models, agents and servers. */
const otherWriters: Readonly<Record<string, string>> = {
  'src/features/browser/pictures.ts': 'pictures of pages, in which no text can be replaced',
  'src/features/suspicion/lay-honeypots.ts': 'honeypots of the scenario, into the work directory',
  'src/shared/redacted-files.ts': 'the border itself',
  'src/keep/store/sql/open-database.ts': 'an empty file for SQLite, so its rights are right from the beginning',
  'src/keep/store/open-store.ts': 'a .gitignore',
  'src/keep/bundles/unpack-files.ts': 'files of a bundle, which lost its secrets when it was packed',
  'src/compose/trust/trusted-projects.ts': 'folders and addresses that the user trusts, in the home of the user',
  'src/entry/server/access/issued-tokens.ts': 'digests of tokens of the server',
  'src/entry/server/files/write-file.ts': 'a file of the project as the user has edited it',
  'src/entry/cli/commands/init.ts': 'the files of a starter project',
  'src/entry/executable/plain-node.ts': 'the program of Node.js',
  'src/entry/executable/unpack.ts': 'the program of Assay',
  'src/compose/cases/promote/start-state.ts': 'files of the project as they were before an agent changed them',
  'src/compose/improve/improvable-files.ts': 'copies of a skill, which an agent works with',
  'src/compose/prove/prove-scenarios.ts': 'copies of a solution, in a work directory',
  'src/mcp-check/conformance/suite.ts': 'names `node:fs` in the text of a program',
  'src/load/scenarios/datasets/row-spool.ts': 'rows of a dataset of the project, in a file without a name',
  // Work directories and homes of agents are removed with the trial; what is kept of them passes the border.
  'src/drive/agents/acp/client-requests.ts': 'what an agent writes into its work directory',
  'src/drive/agents/agent-home.ts': 'settings of an agent, in its own home',
  'src/drive/agents/pinned-agent.ts': 'the package of an agent',
  'src/drive/containers/engine.ts': 'archives on their way between containers, in a folder that goes with the trial',
  'src/drive/containers/safe-archive.ts': 'the same without links that lead elsewhere',
  'src/drive/containers/services.ts': 'opens the pipe at whose end the services end',
  'src/drive/containers/trial-container.ts': 'inputs of the programs of a container, and how they end',
  'src/drive/interposer/write-executables.ts': 'the programs that stand before the tools',
  'src/drive/mcp/proxy/log-reader.ts': 'an empty log, which the proxies fill',
  'src/drive/mcp/proxy/message-log.ts': 'messages on their way into the trace, in a folder that goes with the trial',
  'src/drive/mcp/proxy/open-recording.ts': 'servers with their variables, in a folder that goes with the trial',
  'src/drive/targets/agent-task/plant-files.ts': 'files of an attack, in the work directory',
  'src/drive/targets/agent-task/prepare-tool.ts': 'a program that stands for a tool that is not installed',
  'src/drive/targets/agent-task/staged-graders.ts': 'graders, in the work directory',
  'src/drive/targets/agent-task/tool-recording.ts': 'profiles of shells, in the home of an agent',
  'src/drive/workspace/copy-tree.ts': 'copies of folders of the project',
  'src/drive/workspace/find-isolation.ts': 'two words, to see whether files can lie over others',
  'src/drive/workspace/full-disk.ts': 'zeros, to see whether the disk is full',
  'src/drive/workspace/grader-room.ts': 'programs of graders',
  'src/drive/workspace/trial-directory.ts': 'the process that a directory belongs to',
};

/** Who may say that a text needs no redaction, and why. */
const doors: Readonly<Record<'storedText' | 'usersText', Readonly<Record<string, string>>>> = {
  storedText: {
    'src/compose/run/write-reports.ts': 'reports are drawn of records and traces of the store, piece by piece',
  },
  usersText: {
    'src/compose/cases/native-scenarios.ts': 'the config of the user in another format',
    'src/compose/cases/promote/promote-trial.ts': 'the scenario of the user with the case of a trial of the store',
    'src/compose/improve/improvable-descriptions.ts': 'the file of the user with a wording that the user applies',
    'src/compose/improve/improvable-files.ts': 'the file of the user with the changes that the user applies',
    'src/entry/cli/commands/init-from.ts': 'a config that names files',
    'src/entry/cli/commands/scenarios.ts': 'scenarios of the user in another format',
    'src/load/scenarios/formats/conversation/scenario-lines.ts': 'scenarios of the user in another format',
  },
};

function sourceFiles(): string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const isSource = (name: string): boolean => /\.ts$/.test(name) && !/\.test\.ts$|^testing\//.test(name);
  return names.filter(isSource).map((name) => join('src', name));
}

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** A namespace or the default of the module gives all of its functions. */
function writes(path: string): boolean {
  const imports = textOf(path).matchAll(/import ([^;]*?) from 'node:fs(?:\/promises)?'/g);
  return [...imports].some(([, names = '']) => {
    if (names.startsWith('type ')) return false;
    if (!names.startsWith('{')) return true;
    return names.split(/[{},\s]+/).some((name) => writing.test(name));
  });
}

it('lets nothing into a file but through the border, beside modules that write something else', () => {
  const found = sourceFiles().filter(writes);
  expect(found.sort()).toEqual([...readers, ...Object.keys(otherWriters)].sort());
});

it('opens files for reading only, where that is why they are opened', () => {
  const suspect = readers.filter((path) =>
    /O_(?:WRONLY|RDWR|APPEND|CREAT)|\bopen(?:Sync)?\([^)]*,\s*'(?:w|a|r\+)/.test(textOf(path)),
  );
  expect(suspect).toEqual([]);
});

it('makes a text that may leave in the redaction only, and names who says that a text needs none', () => {
  const inside = /^src\/shared\/redaction\//;
  const outside = sourceFiles().filter((path) => !inside.test(path));
  expect(outside.filter((path) => /\basRedacted\b|\bas (?:unknown as )?Redacted\b/.test(textOf(path)))).toEqual([]);
  for (const [door, users] of Object.entries(doors)) {
    const found = outside.filter((path) => new RegExp(String.raw`\b${door}\(`).test(textOf(path)));
    expect(found.sort()).toEqual(Object.keys(users).sort());
  }
});

it('never takes a redaction that knows nothing for one', () => {
  const found = sourceFiles().filter((path) => /redaction(?:Of|WithPatterns)\(\[\]\)/.test(textOf(path)));
  expect(found.sort()).toEqual([
    // Without a run there are no values to know.
    'src/drive/conversation/open-conversation.ts',
  ]);
});
