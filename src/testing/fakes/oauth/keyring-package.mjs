import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Stands in for the keyring package, whose real one needs a desktop: the same calls on a file outside the project. */
const file = process.env.FAKE_KEYRING_FILE ?? '';
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});

export class AsyncEntry {
  constructor(service, account) {
    this.name = `${service} ${account}`;
  }

  async getPassword() {
    if (file === '') throw new Error("Couldn't access platform storage: AccessDenied");
    return read()[this.name] ?? null;
  }

  async setPassword(password) {
    writeFileSync(file, JSON.stringify({ ...read(), [this.name]: password }));
  }

  async deletePassword() {
    const { [this.name]: found, ...rest } = read();
    writeFileSync(file, JSON.stringify(rest));
    return found !== undefined;
  }
}
