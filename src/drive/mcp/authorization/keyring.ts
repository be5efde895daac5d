import { importModule } from '../../../shared/import-module.ts';
import { authorizationFault } from './fault.ts';

const packageName = '@napi-rs/keyring';
const service = 'assay';
/** An entry that is never there. */
const probe = 'mcp-probe';

/** The part of the optional package that is used; its own types are missing where it is not installed. */
interface KeyringPackage {
  readonly AsyncEntry: new (
    service: string,
    account: string,
  ) => {
    getPassword(): Promise<string | null | undefined>;
    setPassword(password: string): Promise<void>;
    deletePassword(): Promise<boolean>;
  };
}

/** The keyring of the operating system: the only place where logins are kept. */
export interface Keyring {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  /** Whether there was something to delete. */
  delete(account: string): Promise<boolean>;
}

/** A keyring, or the reason why there is none. */
type KeyringAccess =
  | { readonly keyring: Keyring; readonly missing?: undefined }
  | { readonly keyring?: undefined; readonly missing: string };

/** Opens the keyring; loaded only when a server requires authorization. */
export async function openKeyring(env: Readonly<Record<string, string | undefined>>): Promise<KeyringAccess> {
  if (env.ASSAY_KEYRING === 'off') return { missing: 'ASSAY_KEYRING is "off"' };
  let loaded: KeyringPackage & { readonly default?: KeyringPackage };
  try {
    loaded = (await importModule(packageName)) as KeyringPackage;
  } catch {
    return { missing: `the optional package ${packageName} is not installed` };
  }
  const { AsyncEntry } = loaded.default ?? loaded;
  const keyring: Keyring = {
    get: async (account) => (await new AsyncEntry(service, account).getPassword()) ?? undefined,
    set: (account, value) => new AsyncEntry(service, account).setPassword(value),
    delete: (account) => new AsyncEntry(service, account).deletePassword(),
  };
  try {
    await keyring.get(probe);
    // Where nothing can be written, some systems read every entry as missing.
    await keyring.delete(probe);
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
  return { keyring };
}

/** Writes to the keyring; a login that is not kept must be noticed now, not in the next run. */
export async function keepIn(keyring: Keyring, account: string, value: string): Promise<void> {
  try {
    await keyring.set(account, value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw authorizationFault(`the keyring could not keep the login: ${why}`, 'MCP_LOGIN_REQUIRED');
  }
}
