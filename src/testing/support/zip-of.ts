import { crc32, deflateRawSync } from 'node:zlib';

interface Packing {
  readonly method: number;
  pack(bytes: Buffer): Buffer;
}

/** A ZIP archive of these files. */
export function zipOf(
  files: Readonly<Record<string, string>>,
  { method, pack }: Packing = { method: 8, pack: (bytes) => deflateRawSync(bytes) },
): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [file, text] of Object.entries(files)) {
    const name = Buffer.from(file);
    const bytes = Buffer.from(text);
    const packed = pack(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    local.push(Buffer.from('PK\u0003\u0004'), common, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), common, place, name);
    offset += 30 + name.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, list, Buffer.from('PK\u0005\u0006'), end]);
}
