import { AsyncLocalStorage } from 'node:async_hooks';

/** Steps of a project that its user may have to agree to first; each check throws where that is missing. */
export interface TrustChecks {
  /** Run a file of its code. */
  code(file: string): void;
  /** Have the value of a variable of the user sent to an address that its files name. */
  address(url: string, variable: string): void;
}

let ofProcess: TrustChecks | undefined;
const ofCommand = new AsyncLocalStorage<TrustChecks>();

/** The checks of a program whose user named the project; without any, as in a library, the caller is trusted. */
export function checkFromNowOn(checks: TrustChecks): void {
  ofProcess = checks;
}

/** Other checks for one piece of work, and all that it begins. */
export function checkedBy<Result>(checks: TrustChecks, work: () => Result): Result {
  return ofCommand.run(checks, work);
}

function current(): TrustChecks | undefined {
  return ofCommand.getStore() ?? ofProcess;
}

/** To be called before a file of a user is run. */
export function assertMayRun(file: string): void {
  current()?.code(file);
}

/** To be called before a key of the user goes to an address that a project wrote. */
export function assertMayReceive(url: string, variable: string): void {
  current()?.address(url, variable);
}
