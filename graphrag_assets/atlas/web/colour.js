// A community's hue is its direction on the map; lightness follows the theme. OKLCH (Ottosson 2020).

const TONES = {
  dark: { lightness: [0.74, 0.82, 0.67], chroma: 0.145, label: [0.88, 0.07], alone: [125, 135, 150] },
  light: { lightness: [0.6, 0.67, 0.53], chroma: 0.15, label: [0.38, 0.1], alone: [150, 155, 165] },
};

function srgb(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180, a = chroma * Math.cos(angle), b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((v) => {
    const c = Math.min(1, Math.max(0, v));
    return Math.round(255 * (c > 0.0031308 ? 1.055 * c ** (1 / 2.4) - 0.055 : 12.92 * c));
  });
}

// The colour of each community, three bytes after three bytes.
function palette(atlas, theme) {
  const { lightness, chroma } = TONES[theme];
  const colours = new Uint8Array(atlas.hue.length * 3);
  for (let c = 0; c < atlas.hue.length; c++) {
    colours.set(srgb(lightness[atlas.tone[c]], chroma, atlas.hue[c]), c * 3);
  }
  return colours;
}

const cssOf = (rgb) => `rgb(${rgb.join(' ')})`;
const labelColour = (atlas, c, theme) => cssOf(srgb(...TONES[theme].label, atlas.hue[c]));
const dotColour = (atlas, c, theme) =>
  cssOf(srgb(TONES[theme].lightness[atlas.tone[c]], TONES[theme].chroma, atlas.hue[c]));
