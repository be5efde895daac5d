/**
 * A program of some 300 bytes that starts perl with the shim, the name that it was called by, and its arguments. A
 * script cannot do that: the kernel drops the name by which a script is called. Variables that change how perl itself
 * runs have a byte 1 as the first letter of their names meanwhile, and the shim gives the letter back.
 */
export type RenderStub = (perl: string, shim: string) => Buffer;

/** The stub of a machine; undefined for one that has none. Whether it works there must be tried. */
export function stubOf(platform: string, architecture: string): RenderStub | undefined {
  const machine = platform === 'linux' ? machines[architecture] : undefined;
  return machine && ((perl, shim) => executable(machine, perl, shim));
}

interface Machine {
  /** Number of the architecture in the header of an executable. */
  readonly number: number;
  readonly code: (perl: number, shim: number) => Buffer;
}

/** All words are little-endian, as in the code below. */
const arm64Code = `
  e90340f9 ea230091 4b0d098b 6b210091           number of arguments, arguments, environment
  b4040018 b5040018 b6040018 2f008052 ec030baa  PERL, LANG, LC_, the hidden letter
  8d8540f8 6d0100b4 ae0140b9                    next variable, until there is none
  df01146b c0000054 df01156b 80000054           is it one of them?
  ce5d0012 df01166b e1feff54
  af010039 f5ffff17                             hide its first letter
  2e110091 cef17dd3 f0632ecb 10ee7c92 1f020091  room for two more arguments
  40020018 51020018 f20310aa 408600f8 518600f8  perl and the shim come first
  4d8540f8 4d8600f8 cdffffb5                    then all arguments
  e10310aa e2030baa a81b80d2 010000d4           execve
  c00f80d2 a80b80d2 010000d4                    exit 126
  5045524c 4c414e47 4c435f00                    PERL, LANG, LC_
`;

const x64Start = `
  488b0c24 488d742408 488d54ce08 4889d7         number of arguments, arguments, environment
  488b07 4883c708 4885c0 7425 8b18              next variable, until there is none
  81fb5045524c 7416 81fb4c414e47 740e           is it PERL, LANG,
  81e3ffffff00 81fb4c435f00 75d4                or LC_?
  c60001 ebcf                                   hide its first letter
  488d4104 48c1e003 4829c4 4883e4f0 4889e7      room for two more arguments
`;
const x64End = `
  48ffc1 f348a5                                 then all arguments
`;
const x64Exec = `
  4889e6 b83b000000 0f05                        execve
  bf7e000000 b83c000000 0f05                    exit 126
`;

const machines: Readonly<Record<string, Machine>> = {
  arm64: { number: 183, code: (perl, shim) => Buffer.concat([bytes(arm64Code), word(perl), word(shim)]) },
  x64: {
    number: 62,
    code: (perl, shim) => {
      const [load, store, first] = ['b8', '48ab', 'bf'].map((hex) => Buffer.from(hex, 'hex'));
      const put = (address: number) => [load ?? '', word(address), store ?? ''].map(Buffer.from);
      const open = [first ?? '', word(perl)].map(Buffer.from);
      return Buffer.concat([bytes(x64Start), ...put(perl), ...put(shim), bytes(x64End), ...open, bytes(x64Exec)]);
    },
  },
};

/** The machine words of a listing, without its remarks. */
function bytes(listing: string): Buffer {
  const words = listing.split('\n').flatMap((line) => line.split(/ {2,}/).filter(Boolean)[0] ?? []);
  return Buffer.from(words.join('').replaceAll(' ', ''), 'hex');
}

function word(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

const base = 0x400000;
const headerBytes = 64;
const segmentBytes = 56;

/** One readable and executable segment that holds everything, and a stack that cannot be executed. */
function executable({ number, code }: Machine, perl: string, shim: string): Buffer {
  const start = headerBytes + 2 * segmentBytes;
  const codeBytes = code(0, 0).length;
  const texts = [perl, shim].map((path) => Buffer.from(`${path}\0`));
  const perlAddress = base + start + codeBytes;
  const shimAddress = perlAddress + (texts[0]?.length ?? 0);
  const content = Buffer.concat([code(perlAddress, shimAddress), ...texts]);
  const size = start + content.length;
  const header = Buffer.alloc(headerBytes);
  header.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  header.writeUInt16LE(2, 16);
  header.writeUInt16LE(number, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(base + start), 24);
  header.writeBigUInt64LE(BigInt(headerBytes), 32);
  header.writeUInt16LE(headerBytes, 52);
  header.writeUInt16LE(segmentBytes, 54);
  header.writeUInt16LE(2, 56);
  return Buffer.concat([header, segment(1, 5, base, size), segment(0x6474e551, 6, 0, 0), content]);
}

function segment(type: number, flags: number, address: number, size: number): Buffer {
  const entry = Buffer.alloc(segmentBytes);
  entry.writeUInt32LE(type, 0);
  entry.writeUInt32LE(flags, 4);
  for (const at of [16, 24]) entry.writeBigUInt64LE(BigInt(address), at);
  for (const at of [32, 40]) entry.writeBigUInt64LE(BigInt(size), at);
  entry.writeBigUInt64LE(0x10000n, 48);
  return entry;
}
