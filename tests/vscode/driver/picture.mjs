// A picture of the screen made small: a palette of few colours, as a screen has, instead of three bytes for each dot.

import zlib from "node:zlib";

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
const MOST_COLOURS = 128;
/** Of these, so many as they are: what a large place is painted with differs by little from what is beside it. */
const EXACT = 48;

/** A PNG as the browser writes it, as a PNG of a third of its size. */
export function small(png) {
  const { width, height, dots } = read(png);
  const palette = paletteOf(dots);
  const nearest = new Map();
  const lines = Buffer.alloc((width + 1) * height);
  dots.forEach((colour, n) => {
    if (!nearest.has(colour)) {
      nearest.set(colour, indexOf(palette, colour));
    }
    // Each line begins with a byte that says that it is not filtered.
    lines[n + Math.floor(n / width) + 1] = nearest.get(colour);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = zlib.deflateSync(lines, { level: 9, memLevel: 9 });
  const parts = [chunk("IHDR", header), chunk("PLTE", colours), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

/** The most frequent colours, and of the others those that are apart, as close to each other as their number allows. */
function paletteOf(dots) {
  const counts = new Map();
  dots.forEach((colour) => counts.set(colour, (counts.get(colour) ?? 0) + 1));
  const frequent = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const exact = frequent.slice(0, EXACT);
  let best = exact;
  for (let apart = 100; apart >= 0; apart = apart > 1 ? apart / 1.2 : apart - 1) {
    const chosen = [...exact];
    for (const colour of frequent.slice(EXACT)) {
      if (chosen.every((other) => distance(other, colour) > apart)) {
        chosen.push(colour);
      }
      if (chosen.length > MOST_COLOURS) {
        return best;
      }
    }
    best = chosen;
  }
  return best;
}

function indexOf(palette, colour) {
  let best = 0;
  palette.forEach((other, n) => {
    best = distance(other, colour) < distance(palette[best], colour) ? n : best;
  });
  return best;
}

function distance(a, b) {
  return Math.hypot((a >> 16) - (b >> 16), ((a >> 8) & 255) - ((b >> 8) & 255), (a & 255) - (b & 255));
}

/** The dots of a PNG of eight bits, as 0xRRGGBB. */
function read(png) {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const size = { 2: 3, 6: 4 }[png[25]];
  const packed = [];
  for (let at = SIGNATURE.length; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") {
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const lines = zlib.inflateSync(Buffer.concat(packed));
  const dots = new Uint32Array(width * height);
  let above = new Uint8Array(width * size);
  for (let y = 0; y < height; y++) {
    const begin = y * (width * size + 1);
    above = unfiltered(lines[begin], lines.subarray(begin + 1, begin + 1 + width * size), above, size);
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = above.subarray(x * size, x * size + 3);
      dots[y * width + x] = (red << 16) | (green << 8) | blue;
    }
  }
  return { width, height, dots };
}

/** A line of a PNG is written as what differs from its neighbours. */
function unfiltered(kind, line, above, size) {
  const made = new Uint8Array(line.length);
  for (let n = 0; n < line.length; n++) {
    const left = n < size ? 0 : made[n - size];
    const corner = n < size ? 0 : above[n - size];
    const guesses = [0, left, above[n], (left + above[n]) >> 1, paeth(left, above[n], corner)];
    made[n] = line[n] + guesses[kind];
  }
  return made;
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(guess - value));
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(zlib.crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
