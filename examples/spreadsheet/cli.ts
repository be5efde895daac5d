import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { readAudit } from './src/audit-trail.ts';
import { openDocument } from './src/open-document.ts';
import { findDocument, readIndex } from './src/storage-index.ts';
import { withStorage } from './src/with-storage.ts';
import { bulkUpdateSpreadsheet } from './tool.ts';

const HELP = `Usage: spreadsheet <command> [--storage <folder>]

Commands:
  update                 Read the arguments as JSON on stdin and print the result as JSON
  show <documentId>      Print the headers and the number of rows
  history <documentId>   Print the versions and what changed between them

Options:
  --storage <folder>     Keep documents in this folder (default: $SPREADSHEET_STORAGE,
                         else a private copy of the fixtures that is removed afterwards)
  -h, --help             Print this text

Exit codes: 0 done, 1 the command failed, 2 wrong usage`;

class UsageError extends Error {}

type Command = (operands: readonly string[], storage: string | undefined) => Promise<unknown>;

const commands = new Map<string, Command>([
  ['update', update],
  ['show', show],
  ['history', history],
]);

/** Runs one command line, prints its JSON document, and returns the exit code. */
export async function runCli(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseFlags(argv);
    console.log(values.help ? HELP : JSON.stringify(await runCommand(positionals, values.storage), null, 2));
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof UsageError) {
      console.error(`${message}\nTry: spreadsheet --help`);
      return 2;
    }
    console.log(JSON.stringify({ error: { message } }));
    console.error(message);
    return 1;
  }
}

async function runCommand([name, ...operands]: readonly string[], storage: string | undefined): Promise<unknown> {
  if (name === undefined) throw new UsageError('No command given');
  const command = commands.get(name);
  if (command === undefined) throw new UsageError(`Unknown command "${name}"`);
  return command(operands, storage);
}

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { storage: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function update(operands: readonly string[], storage: string | undefined): Promise<unknown> {
  if (operands.length > 0) throw new UsageError('update takes its arguments on stdin');
  return bulkUpdateSpreadsheet(parseJson(await text(process.stdin)), { storage });
}

function parseJson(source: string) {
  try {
    return JSON.parse(source);
  } catch (cause) {
    throw new Error(`The arguments on stdin are not JSON: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}

async function show(operands: readonly string[], storage: string | undefined): Promise<unknown> {
  const documentId = onlyDocumentId('show', operands);
  return withStorage(storage, async (folder) => {
    const { name, type, storageId, revision, sheet } = await openDocument(folder, documentId);
    return { documentId, name, type, storageId, revision, rowCount: sheet.rows.length, headers: sheet.headers };
  });
}

async function history(operands: readonly string[], storage: string | undefined): Promise<unknown> {
  const documentId = onlyDocumentId('history', operands);
  return withStorage(storage, async (folder) => {
    const { storageId } = findDocument(await readIndex(folder), documentId);
    const audit = await readAudit(folder, documentId);
    const versions = [audit[0]?.fromStorageId ?? storageId, ...audit.map((entry) => entry.toStorageId)];
    return { documentId, versions, audit };
  });
}

function onlyDocumentId(command: string, operands: readonly string[]): string {
  const [documentId] = operands;
  if (documentId === undefined || operands.length > 1) throw new UsageError(`${command} takes one documentId`);
  return documentId;
}
