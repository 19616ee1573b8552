#include "cluster/decode/reader.h"

namespace winnow {
namespace {

struct SourceRow {
  std::string_view field;  ///< The field's name in a pod's volume, or in a PersistentVolume's spec.
  VolumeSource source;
  std::string_view id_field;  ///< The field in the source that identifies the disk.
};

// A volume has one source. If it has several, the first row of the table counts.
constexpr SourceRow kSources[] = {
    {"gcePersistentDisk", VolumeSource::kGcePersistentDisk, "pdName"},
    {"awsElasticBlockStore", VolumeSource::kAwsElasticBlockStore, "volumeID"},
    {"azureDisk", VolumeSource::kAzureDisk, "diskName"},
    {"cinder", VolumeSource::kCinder, "volumeID"},
    {"azureFile", VolumeSource::kAzureFile, "shareName"},
    {"vsphereVolume", VolumeSource::kVsphere, "volumePath"},
    {"portworxVolume", VolumeSource::kPortworx, "volumeID"},
    {"rbd", VolumeSource::kRbd, "image"},
    {"iscsi", VolumeSource::kIscsi, "iqn"},
    {"csi", VolumeSource::kCsi, "driver"},
    {"persistentVolumeClaim", VolumeSource::kPersistentVolumeClaim, "claimName"},
    {"ephemeral", VolumeSource::kEphemeral, ""},
    {"image", VolumeSource::kImage, "reference"},
};

bool read_source(const Reader& r, const SourceRow& row, Volume& volume) {
  switch (row.source) {
    case VolumeSource::kRbd:
      return r.read("image", volume.id) && r.read("pool", volume.pool) &&
             r.read("monitors", volume.monitors) && r.read("readOnly", volume.read_only);
    case VolumeSource::kAzureDisk:
      return r.read(row.id_field, volume.id) && r.read("diskURI", volume.uri) &&
             r.read("kind", volume.kind) && r.read("readOnly", volume.read_only);
    case VolumeSource::kEphemeral:
      return r.within("volumeClaimTemplate", [&](const Reader& claim) {
        return claim.within(
            "spec", [&](const Reader& spec) { return spec.read("storageClassName", volume.storage_class); });
      });
    case VolumeSource::kImage:
      return r.read(row.id_field, volume.id);
    default:
      return r.read(row.id_field, volume.id) && r.read("readOnly", volume.read_only);
  }
}

}  // namespace

bool read_volume_source(const Reader& r, Volume& volume) {
  for (const auto& row : kSources) {
    if (!r.has(row.field)) continue;
    volume.source = row.source;
    return r.within(row.field, [&](const Reader& source) { return read_source(source, row, volume); });
  }
  return true;
}

}  // namespace winnow
