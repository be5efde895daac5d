import { namesSecret, namesSecretHeader } from '../../shared/redaction/assigned-secrets.ts';
import { shortestSecret } from '../../shared/redaction/secret-forms.ts';
import { redactPatterns } from '../../shared/redaction/secret-patterns.ts';

type Data = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string | undefined>>;

/** `--api-key=…`, `TOKEN=…`, `?token=…`, `TOKEN="…"`. */
const assigned = /([A-Za-z][\w.-]*)=("[^"]*"|'[^']*'|[^\s&"'`]+)/g;
/** `--api-key …`, `-token "…"` inside a command line. */
const option = /(?<=^|\s)(--?)([A-Za-z][\w-]*)(\s+)("[^"]*"|'[^']*'|[^\s"'`-][^\s"'`]*)/g;
/** Choices such as `--auth none` and `--key primary` are not secrets. */
const ordinaryChoice = /^[a-z]{1,10}$/;

/** Writes the secrets of a server as variables, because generated files are shared with the project. */
export class SecretPlaceholders {
  readonly #env: Env;
  readonly #known: readonly (readonly [name: string, value: string])[];
  /** The value behind each name that is used. */
  readonly #values = new Map<string, string>();

  constructor(env: Env) {
    this.#env = env;
    this.#known = Object.entries(env)
      .flatMap(([name, value]): [string, string][] =>
        value !== undefined && value.length >= shortestSecret && namesSecret(name) ? [[name, value]] : [],
      )
      .toSorted(([, a], [, b]) => b.length - a.length);
  }

  /** Variables that the files need, and whether they are set already. */
  get variables(): { readonly name: string; readonly isSet: boolean }[] {
    return [...this.#values].map(([name, value]) => ({ name, isSet: this.#env[name] === value }));
  }

  /** The definition of a server without secrets in its arguments, its address, its variables and its headers. */
  server(written: Data): Data {
    const { args, url, env, headers } = written;
    return {
      ...written,
      ...(Array.isArray(args) && { args: this.words(args) }),
      ...(typeof url === 'string' && { url: this.text(url) }),
      ...(isTexts(env) && { env: this.#named(env, namesSecret) }),
      ...(isTexts(headers) && { headers: this.#named(headers, namesSecretHeader) }),
    };
  }

  text(text: string): string {
    let found = text;
    for (const [name, value] of this.#known) {
      if (!found.includes(value)) continue;
      this.#values.set(name, value);
      found = found.replaceAll(value, `\${${name}}`);
    }
    found = found
      .replace(assigned, (all, name: string, value: string) =>
        isGiven(name, unquoted(value)) ? `${name}=${this.#quoted(name, value)}` : all,
      )
      .replace(option, (all, dashes: string, name: string, between: string, value: string) =>
        isGiven(name, unquoted(value)) ? `${dashes}${name}${between}${this.#quoted(name, value)}` : all,
      );
    return found.replace(/\S+/g, (word) =>
      word.includes('${') || redactPatterns(word) === word ? word : this.#variable('secret', word),
    );
  }

  /** The words of a command line without secrets. */
  words<Word>(words: readonly Word[]): (Word | string)[] {
    return words.map((argument, index) => {
      if (typeof argument !== 'string') return argument;
      const before = words[index - 1];
      const name = typeof before === 'string' ? /^--?([A-Za-z][\w-]*)$/.exec(before)?.[1] : undefined;
      const text = this.text(argument);
      return name !== undefined && !text.startsWith('-') && isGiven(name, text) ? this.#variable(name, text) : text;
    });
  }

  #named(values: Readonly<Record<string, string>>, isSecret: (name: string) => boolean): Data {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const text = this.text(value);
        if (!isSecret(name) || text.trim() === '' || text.includes('${')) return [name, text];
        const [, scheme = '', secret = ''] = /^(\w+\s+)?(.*)$/s.exec(text) ?? [];
        return [name, `${scheme}${this.#variable(name, secret)}`];
      }),
    );
  }

  /** In the quotes of the value: single ones would keep a shell from expanding it. */
  #quoted(name: string, value: string): string {
    const variable = this.#variable(name, unquoted(value));
    return value === unquoted(value) ? variable : `"${variable}"`;
  }

  /** A name that stands for this value and for no other. */
  #variable(name: string, value: string): string {
    const base = name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase();
    const isFree = (candidate: string): boolean =>
      (this.#values.get(candidate) ?? this.#env[candidate] ?? value) === value;
    let chosen = base;
    for (let count = 2; !isFree(chosen); count++) chosen = `${base}_${count}`;
    this.#values.set(chosen, value);
    return `\${${chosen}}`;
  }
}

function isGiven(name: string, value: string): boolean {
  if (!namesSecret(name) || value.includes('$') || value === '') return false;
  return !(/(?:auth|key)$/i.test(name) && ordinaryChoice.test(value));
}

function unquoted(value: string): string {
  return /^(["']).*\1$/s.test(value) ? value.slice(1, -1) : value;
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

/** A sentence about each variable that is not set yet. */
export function unsetVariablesText(variables: SecretPlaceholders['variables']): string[] {
  return variables.map(({ name, isSet }) =>
    isSet
      ? `The secret of the server is written as \${${name}}, which is set here.`
      : `A value that looks like a secret is written as \${${name}}: set ${name} in the environment before you run the files.`,
  );
}
